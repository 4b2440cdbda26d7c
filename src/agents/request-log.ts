import type { AgentEvent } from '../model/agent-event.js';
import { addSpend, cleanSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import { type Fields, jsonObject, textAt } from './agent-events.js';

/** One request in an agent's record of a session. */
export interface LoggedRequest {
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly spend: Spend;
  readonly windowTokens?: number | undefined;
}

/**
 * Reads an agent's record of a session, which has a line per step and is written while the agent works: each request that
 * the model answered, also those that the stream does not show, and with each one what the session has used so far.
 */
export function createRequestLog(
  session: string,
  since: string,
  requestOf: (fields: Fields) => LoggedRequest | undefined,
): (line: string) => readonly AgentEvent[] {
  const sinceMs = Date.parse(since);
  let total: Spend = NOTHING_SPENT;
  return (line) => {
    const fields = jsonObject(line);
    const request = fields === undefined ? undefined : requestOf(fields);
    if (request === undefined) return [];
    const { id, model, windowTokens } = request;
    const { spend } = cleanSpend(request.spend);
    total = addSpend(total, spend);
    if (!(Date.parse(textAt(fields, 'timestamp') ?? '') >= sinceMs)) return [];
    return [
      ...(isWindow(windowTokens) ? [{ kind: 'context' as const, windowTokens }] : []),
      { kind: 'usage', scope: 'request', id, model, spend },
      { kind: 'usage', scope: 'session-total', session, spend: total },
    ];
  };
}

/** All output. The shown output may be without the reasoning, which is in the total. */
export function allOutput(
  shown: number | undefined,
  total: number | undefined,
  inputTokens: number | undefined,
): number | undefined {
  const rest = (total ?? Number.NaN) - (inputTokens ?? Number.NaN);
  return shown !== undefined && rest > shown ? rest : shown;
}

/** A damaged record may hold anything. */
function isWindow(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens > 0;
}

import type { AgentEvent } from '../../model/agent-event.js';
import type { AgentRequest, Sidecar } from '../adapter.js';
import { type Fields, fieldsAt, jsonObject, numberAt, textAt } from '../agent-events.js';
import { type AgentHome, homeFolder } from '../known-agent.js';
import { codexSpend } from './parse.js';

export const CODEX_HOME: AgentHome = { variable: 'CODEX_HOME', folder: '.codex' };

/**
 * The rollout: the record that Codex keeps of a thread, with a line per step, written as it works. It has the usage of each
 * request, also in a turn that fails or is killed. The stream reports nothing of such a turn.
 */
export function codexRollout(session: string, { environment }: Pick<AgentRequest, 'environment'>): Sidecar | undefined {
  const folder = homeFolder(CODEX_HOME, environment);
  // The id comes from outside.
  if (!folder || !/^[\w-]+$/.test(session)) return undefined;
  return {
    folder: `${folder}/sessions`,
    matches: (fileName) => fileName.startsWith('rollout-') && fileName.endsWith(`-${session}.jsonl`),
    reader: (since) => rolloutReader(session, since),
  };
}

/** There are few lines of these types. The others may be large and are not needed. */
const NEEDED = /"(?:token_usage_record|token_count|turn_context)"/;

/** The usage of a thread since a time, line by line. */
export function rolloutReader(session: string, since: string): (line: string) => readonly AgentEvent[] {
  const sinceMs = Date.parse(since);
  let model: string | undefined;
  let windowTokens: number | undefined;
  let hasRecords = false;
  const usage = (
    last: Fields | undefined,
    total: Fields | undefined,
    id: string | undefined,
  ): readonly AgentEvent[] => {
    if (last === undefined) return [];
    const sum = codexSpend(total);
    // With the running total as its id, a request that is reported again is the same one.
    const name = id ?? `${session} ${sum.totalTokens ?? ''}`;
    const request: AgentEvent = { kind: 'usage', scope: 'request', id: name, model, spend: codexSpend(last) };
    // After an overflow the total is set to the size of the window, of which nothing is input or output.
    if ((sum.totalTokens ?? 0) === 0) return [request];
    return [request, { kind: 'usage', scope: 'session-total', session, spend: sum }];
  };
  const window = (info: Fields | undefined): readonly AgentEvent[] => {
    const tokens = numberAt(info, 'model_context_window');
    if (tokens === undefined || tokens <= 0 || tokens === windowTokens) return [];
    windowTokens = tokens;
    return [{ kind: 'context', windowTokens }];
  };
  const read = (type: string | undefined, payload: Fields | undefined): readonly AgentEvent[] => {
    if (type === 'turn_context') model = textAt(payload, 'model') ?? model;
    if (type === 'token_usage_record') {
      hasRecords = true;
      return usage(fieldsAt(payload, 'usage'), fieldsAt(payload, 'thread_token_usage'), textAt(payload, 'response_id'));
    }
    if (type !== 'event_msg' || textAt(payload, 'type') !== 'token_count') return [];
    const info = fieldsAt(payload, 'info');
    // Older versions have only this, written once the tools of the request are done.
    const counted = hasRecords
      ? []
      : usage(fieldsAt(info, 'last_token_usage'), fieldsAt(info, 'total_token_usage'), undefined);
    return [...window(info), ...counted];
  };
  return (line) => {
    const fields = NEEDED.test(line) ? jsonObject(line) : undefined;
    const events = read(textAt(fields, 'type'), fieldsAt(fields, 'payload'));
    return Date.parse(textAt(fields, 'timestamp') ?? '') >= sinceMs ? events : [];
  };
}

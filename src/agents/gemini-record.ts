import type { AgentEvent } from '../model/agent-event.js';
import { cleanSpend } from '../model/usage.js';
import type { AgentRequest, Sidecar } from './adapter.js';
import { fieldsAt, jsonObject, numberAt, textAt } from './json-fields.js';
import { allOutput } from './request-log.js';

/** The conversation that Gemini CLI keeps of a session. Its stream tells usage only at its end; this has each message's. */
export function geminiRecord(session: string, { environment }: Pick<AgentRequest, 'environment'>): Sidecar | undefined {
  const home = environment['GEMINI_CLI_HOME'] || environment['HOME'] || environment['USERPROFILE'];
  // The id comes from outside.
  if (!home || !/^[\w-]{8,}$/.test(session)) return undefined;
  return {
    folder: `${home}/.gemini/tmp`,
    matches: (fileName) => fileName.startsWith('session-') && fileName.endsWith(`-${session.slice(0, 8)}.jsonl`),
    reader: (since) => (line) => messageUsage(line, Date.parse(since)),
  };
}

/** A message is written again, under the same id, when its tools are done. */
function messageUsage(line: string, sinceMs: number): readonly AgentEvent[] {
  const fields = jsonObject(line);
  const tokens = fieldsAt(fields, 'tokens');
  if (textAt(fields, 'type') !== 'gemini' || tokens === undefined) return [];
  if (!(Date.parse(textAt(fields, 'timestamp') ?? '') >= sinceMs)) return [];
  const inputTokens = numberAt(tokens, 'input');
  const { spend } = cleanSpend({
    inputTokens,
    outputTokens: allOutput(numberAt(tokens, 'output'), numberAt(tokens, 'total'), inputTokens),
    cacheReadTokens: numberAt(tokens, 'cached'),
    reasoningTokens: numberAt(tokens, 'thoughts'),
  });
  return [{ kind: 'usage', scope: 'request', id: textAt(fields, 'id'), model: textAt(fields, 'model'), spend }];
}

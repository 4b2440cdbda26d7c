import type { AgentRequest, Sidecar } from './adapter.js';
import { type Fields, fieldsAt, numberAt, textAt } from './json-fields.js';
import { createRequestLog, type LoggedRequest } from './request-log.js';

/** The events that Copilot keeps of a session. Its stream tells no tokens; these tell what each request used. */
export function copilotRecord(
  session: string,
  { environment }: Pick<AgentRequest, 'environment'>,
): Sidecar | undefined {
  const home = environment['HOME'] || environment['USERPROFILE'];
  const folder = environment['COPILOT_HOME'] || (home && `${home}/.copilot`);
  // The id comes from outside.
  if (!folder || !/^[\w-]+$/.test(session)) return undefined;
  return {
    folder: `${folder}/session-state/${session}`,
    matches: (fileName) => fileName === 'events.jsonl',
    reader: (since) => createRequestLog(session, since, requestOf),
  };
}

/** Its input has the cache in it. */
function requestOf(fields: Fields): LoggedRequest | undefined {
  if (textAt(fields, 'type') !== 'session.usage_record') return undefined;
  const usage = fieldsAt(fieldsAt(fields, 'data'), 'usage');
  if (usage === undefined) return undefined;
  return {
    id: textAt(fieldsAt(usage, 'accounting'), 'usageId') ?? textAt(usage, 'apiCallId'),
    model: textAt(usage, 'model'),
    windowTokens: numberAt(usage, 'maxPromptTokens'),
    spend: {
      inputTokens: numberAt(usage, 'inputTokens'),
      outputTokens: numberAt(usage, 'outputTokens'),
      cacheReadTokens: numberAt(usage, 'cacheReadTokens'),
      cacheWriteTokens: numberAt(usage, 'cacheWriteTokens'),
      reasoningTokens: numberAt(usage, 'reasoningTokens'),
    },
  };
}

import type { AgentRequest, Sidecar } from './adapter.js';
import { type Fields, fieldsAt, numberAt, textAt } from './json-fields.js';
import { allOutput, createRequestLog, type LoggedRequest } from './request-log.js';

/** The record that Qwen Code keeps of a session. It has every request, those that the stream does not show as well. */
export function qwenRecord(session: string, { environment }: Pick<AgentRequest, 'environment'>): Sidecar | undefined {
  const home = environment['HOME'] || environment['USERPROFILE'];
  const folder = environment['QWEN_RUNTIME_DIR'] || environment['QWEN_HOME'] || (home && `${home}/.qwen`);
  // The id comes from outside.
  if (!folder || !/^[\w-]+$/.test(session)) return undefined;
  return {
    folder: `${folder}/projects`,
    matches: (fileName) => fileName === `${session}.jsonl`,
    reader: (since) => createRequestLog(session, since, requestOf),
  };
}

function requestOf(fields: Fields): LoggedRequest | undefined {
  const event = fieldsAt(fieldsAt(fields, 'systemPayload'), 'uiEvent');
  if (textAt(event, 'event.name') !== 'qwen-code.api_response') return undefined;
  const inputTokens = numberAt(event, 'input_token_count');
  const shown = numberAt(event, 'output_token_count');
  return {
    id: textAt(event, 'response_id'),
    model: textAt(event, 'model'),
    spend: {
      inputTokens,
      outputTokens: allOutput(shown, numberAt(event, 'total_token_count'), inputTokens),
      cacheReadTokens: numberAt(event, 'cached_content_token_count'),
      reasoningTokens: numberAt(event, 'thoughts_token_count'),
    },
  };
}

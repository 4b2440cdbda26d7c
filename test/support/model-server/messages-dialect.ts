import type { Dialect } from './dialect.js';
import { contentBlock, messageCutOff, messageRest, messageStart, wholeMessage } from './message-stream.js';
import { refusalOf } from './refusal.js';
import { sse } from './sse.js';
import { type AskedRequest, USUAL_TOKENS } from './step.js';

/** The Anthropic Messages API. */
export const MESSAGES: Dialect = {
  paths: /^\/v1\/messages$/,
  asked,
  isStreamed: (body) => (body as { stream?: boolean }).stream === true,
  start: ({ id, model, tokens }) => messageStart(`msg_${id}`, model, tokens),
  rest: (answer, request, { id, tokens }) => messageRest(contentBlock(answer, request, id), tokens),
  restCutOff: ({ tokens }) => messageCutOff(tokens),
  streamError: () => sse('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  whole: (answer, request, { id, model, tokens }) =>
    wholeMessage(`msg_${id}`, model, contentBlock(answer, request, id), tokens),
  refusal: refusalOf,
  tokensAtStart: { ...USUAL_TOKENS, output: 1 },
};

function asked(body: unknown): AskedRequest {
  const fields = body as { model?: string; messages?: readonly unknown[]; tools?: readonly { name?: string }[] };
  return {
    model: fields.model ?? '',
    messages: fields.messages ?? [],
    tools: (fields.tools ?? []).flatMap(({ name }) => name ?? []),
  };
}

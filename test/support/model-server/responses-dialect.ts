import type { Dialect } from './dialect.js';
import { outputItem, responseEnd, responseItem, responseStart, wholeResponse } from './response-stream.js';
import { responsesRefusalOf } from './responses-refusal.js';
import { sse } from './sse.js';
import type { AskedRequest } from './step.js';

/** The OpenAI Responses API. */
export const RESPONSES: Dialect = {
  paths: /^\/v1\/responses$/,
  asked,
  isStreamed: (body) => (body as { stream?: boolean }).stream === true,
  start: ({ id, model }) => responseStart(id, model),
  rest(answer, request, served) {
    const item = outputItem(answer, request, served.id);
    return responseItem(item) + responseEnd('response.completed', served);
  },
  restCutOff: (served) => responseEnd('response.incomplete', served),
  streamError: () =>
    sse('response.failed', { response: { error: { code: 'server_is_overloaded', message: 'Overloaded' } } }),
  whole: (answer, request, served) => wholeResponse(outputItem(answer, request, served.id), served),
  refusal: responsesRefusalOf,
  // Only its end tells what an answer has used.
  tokensAtStart: undefined,
};

function asked(body: unknown): AskedRequest {
  const fields = body as { model?: string; input?: readonly unknown[]; tools?: readonly { name?: string }[] };
  return {
    model: fields.model ?? '',
    messages: fields.input ?? [],
    tools: (fields.tools ?? []).flatMap(({ name }) => name ?? []),
  };
}

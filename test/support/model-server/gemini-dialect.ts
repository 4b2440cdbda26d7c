import type { Dialect, Served } from './dialect.js';
import { type Refusal, refusalOf } from './refusal.js';
import { sseData } from './sse.js';
import { type AskedRequest, type Fault, type ServedTokens, USUAL_TOKENS } from './step.js';
import { outputOf } from './tool-use.js';

type Json = Readonly<Record<string, unknown>>;

const AT_START: ServedTokens = { ...USUAL_TOKENS, output: 0 };

/** Gemini's generateContent API. */
export const GEMINI: Dialect = {
  paths: /^\/v1beta\/models\/[^/:]+:(?:g|streamG)enerateContent$/,
  asked,
  isStreamed: (_body, path) => path.includes(':stream'),
  start: (served) => sseData({ ...content([{ text: '' }]), ...figures({ ...served, tokens: AT_START }) }),
  rest: (answer, request, served) => sseData(whole(partsOf(outputOf(answer, request)), 'STOP', served)),
  restCutOff: (served) => sseData(whole([{ text: 'and then' }], 'MAX_TOKENS', served)),
  streamError: () => sseData({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  whole: (answer, request, served) => JSON.stringify(whole(partsOf(outputOf(answer, request)), 'STOP', served)),
  refusal,
  tokensAtStart: AT_START,
};

const STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

function asked(body: unknown, path: string): AskedRequest {
  const fields = body as {
    contents?: readonly unknown[];
    tools?: readonly { functionDeclarations?: readonly { name?: string }[] }[];
  };
  return {
    model: /models\/([^/:]+)/.exec(path)?.[1] ?? '',
    messages: fields.contents ?? [],
    tools: (fields.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).flatMap(({ name }) => name ?? [])),
  };
}

function partsOf(output: ReturnType<typeof outputOf>): readonly Json[] {
  return 'text' in output
    ? [{ text: output.text }]
    : [{ functionCall: { name: output.name, args: output.input }, thoughtSignature: 'c2NyaXB0ZWQ=' }];
}

function content(parts: readonly Json[], finishReason?: string): Json {
  return { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }] };
}

function whole(parts: readonly Json[], finishReason: string, served: Served): Json {
  return { ...content(parts, finishReason), ...figures(served) };
}

/** Here input is all input, and output leaves out what the model thought. */
function figures({ id, model, tokens }: Served): Json {
  const { input, output, cacheRead, cacheWrite, reasoning = 0 } = tokens;
  const all = input + cacheRead + cacheWrite;
  const usageMetadata = {
    promptTokenCount: all,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: all + output,
  };
  return { usageMetadata, modelVersion: model, responseId: `resp_${id}` };
}

/** The same refusals in Google's words. */
function refusal(fault: Fault, nowMs: number): Refusal | undefined {
  const other = refusalOf(fault, nowMs);
  if (other === undefined) return undefined;
  const code = other.status === 529 ? 503 : other.status;
  const { message } = (JSON.parse(other.body) as { error: { message: string } }).error;
  return { status: code, headers: {}, body: JSON.stringify({ error: { code, message, status: STATUS[code] } }) };
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contentBlock, messageRest, messageStart, sse, wholeMessage } from './message-stream.js';
import { refusalOf } from './refusal.js';
import {
  type AskedRequest,
  type Fault,
  type ScriptedStep,
  type ServedTokens,
  type Step,
  USUAL_TOKENS,
} from './step.js';

export interface ModelScript {
  /** One for each main request, in order. */
  readonly steps?: readonly ScriptedStep[] | undefined;
  /** For every main request after the last step. */
  readonly fallback?: ScriptedStep | undefined;
  /** What the provider calls the model that was asked for: its dated name, for one. */
  readonly nameOf?: ((model: string) => string) | undefined;
}

/** One request as the server saw it; `tokens` are those that it has told the client, if any. */
export interface ServedRequest {
  readonly kind: 'main' | 'side';
  readonly model: string;
  outcome: 'open' | 'finished' | 'refused' | 'broken';
  tokens?: ServedTokens | undefined;
}

const SIDE_STEP: Step = { text: 'A title', usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 } };
const NO_STEP: Step = { text: 'The script has no more steps.' };

/** A model provider on loopback that follows a script and keeps its own count. Speaks the Anthropic Messages API. */
export class ModelServer {
  readonly requests: ServedRequest[] = [];
  readonly #server: Server;
  readonly #steps: ScriptedStep[];
  readonly #fallback: ScriptedStep;
  readonly #nameOf: (model: string) => string;

  private constructor({ steps = [], fallback = NO_STEP, nameOf = (model) => model }: ModelScript) {
    this.#nameOf = nameOf;
    this.#steps = [...steps];
    this.#fallback = fallback;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(script: ModelScript): Promise<ModelServer> {
    const server = new ModelServer(script);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Steps for the main requests that are yet to come. */
  script(...steps: readonly ScriptedStep[]): this {
    this.#steps.push(...steps);
    return this;
  }

  /** The tokens of all finished requests. */
  get spent(): ServedTokens {
    return sumOf(this.requests.filter(({ outcome }) => outcome === 'finished'));
  }

  /** The tokens of all requests, with those that broke off after their beginning. */
  get told(): ServedTokens {
    return sumOf(this.requests);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const text = await bodyOf(request);
    if (request.method === 'POST' && pathname === '/v1/messages') return this.#answer(JSON.parse(text), response);
    if (request.method === 'POST' && pathname === '/v1/messages/count_tokens') {
      return reply(response, 200, '{"input_tokens":1000}');
    }
    const found = request.method === 'HEAD' && pathname === '/';
    return reply(response, found ? 200 : 404, '{"type":"error","error":{"type":"not_found_error","message":"none"}}');
  }

  #answer(body: unknown, response: ServerResponse): void {
    const asked = askedRequest(body);
    const kind = asked.tools.length > 1 ? 'main' : 'side';
    const served: ServedRequest = { kind, model: this.#nameOf(asked.model), outcome: 'open' };
    this.requests.push(served);
    const scripted = kind === 'side' ? SIDE_STEP : (this.#steps.shift() ?? this.#fallback);
    const step = typeof scripted === 'function' ? scripted(asked) : scripted;
    const id = `${Date.now().toString(36)}${this.requests.length}`;
    if ('fault' in step) return fail(step.fault, served, id, response);
    const tokens = { ...USUAL_TOKENS, ...step.usage };
    const block = contentBlock(step, asked, id);
    served.tokens = tokens;
    served.outcome = 'finished';
    if (!isStreamed(body)) return reply(response, 200, wholeMessage(`msg_${id}`, served.model, block, tokens));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(messageStart(`msg_${id}`, served.model, tokens) + messageRest(block, tokens));
  }
}

function sumOf(requests: readonly ServedRequest[]): ServedTokens {
  const sum = (field: keyof ServedTokens) => requests.reduce((total, { tokens }) => total + (tokens?.[field] ?? 0), 0);
  return { input: sum('input'), output: sum('output'), cacheRead: sum('cacheRead'), cacheWrite: sum('cacheWrite') };
}

function fail(fault: Fault, served: ServedRequest, id: string, response: ServerResponse): void {
  const refusal = refusalOf(fault, Date.now());
  served.outcome = refusal === undefined ? 'broken' : 'refused';
  if (refusal !== undefined) return reply(response, refusal.status, refusal.body, refusal.headers);
  served.tokens = { ...USUAL_TOKENS, output: 1 };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(messageStart(`msg_${id}`, served.model, served.tokens), () => {
    // What was sent arrives; the end of the answer does not.
    if (fault === 'disconnect') response.socket?.end();
    if (fault === 'stream-error') {
      response.end(sse('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }));
    }
  });
}

function reply(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_scripted', ...headers });
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function askedRequest(body: unknown): AskedRequest {
  const fields = body as { model?: string; messages?: readonly unknown[]; tools?: readonly { name?: string }[] };
  return {
    model: fields.model ?? '',
    messages: fields.messages ?? [],
    tools: (fields.tools ?? []).flatMap(({ name }) => name ?? []),
  };
}

function isStreamed(body: unknown): boolean {
  return (body as { stream?: boolean }).stream === true;
}

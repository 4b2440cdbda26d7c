import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { CHAT } from './chat-dialect.js';
import type { Dialect, Served } from './dialect.js';
import { GEMINI } from './gemini-dialect.js';
import { MESSAGES } from './messages-dialect.js';
import { RESPONSES } from './responses-dialect.js';
import { type FaultStep, type ScriptedStep, type ServedTokens, type Step, USUAL_TOKENS } from './step.js';

export interface ModelScript {
  /** One for each main request, in order. */
  readonly steps?: readonly ScriptedStep[] | undefined;
  /** For every main request after the last step. */
  readonly fallback?: ScriptedStep | undefined;
  /** What the provider calls the model that was asked for: its dated name, for one. */
  readonly nameOf?: ((model: string) => string) | undefined;
  /** Clients have no tools: what they ask is a main request all the same. */
  readonly isWithoutTools?: boolean | undefined;
}

/** One request as the server saw it; `tokens` are those that it has told the client, if any. */
export interface ServedRequest {
  readonly kind: 'main' | 'side';
  readonly model: string;
  outcome: 'open' | 'finished' | 'refused' | 'broken';
  tokens?: ServedTokens | undefined;
}

const SIDE_STEP: Step = { text: 'A title', usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 } };
const DIALECTS: readonly Dialect[] = [MESSAGES, RESPONSES, CHAT, GEMINI];
const NO_STEP: Step = { text: 'The script has no more steps.' };

/** A model provider on loopback that follows a script and keeps its own count. Speaks four APIs. */
export class ModelServer {
  readonly requests: ServedRequest[] = [];
  readonly #server: Server;
  readonly #steps: ScriptedStep[];
  readonly #fallback: ScriptedStep;
  readonly #nameOf: (model: string) => string;
  readonly #fewestTools: number;
  /** The tools of each request. */
  readonly tools: (readonly string[])[] = [];
  /** Each request as it was sent. */
  readonly bodies: string[] = [];

  private constructor({ steps = [], fallback = NO_STEP, nameOf = (model) => model, isWithoutTools }: ModelScript) {
    this.#nameOf = nameOf;
    this.#fewestTools = isWithoutTools === true ? 0 : 2;
    this.#steps = [...steps];
    this.#fallback = fallback;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    // Codex first asks for a socket; told that there is none, it goes on without.
    this.#server.on('upgrade', (_request, socket: Duplex) => {
      socket.end('HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
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
    const dialect = request.method === 'POST' ? DIALECTS.find(({ paths }) => paths.test(pathname)) : undefined;
    if (dialect !== undefined) {
      this.bodies.push(text);
      return this.#answer(dialect, JSON.parse(text), pathname, response);
    }
    if (request.method === 'POST' && pathname === '/v1/messages/count_tokens') {
      return reply(response, 200, '{"input_tokens":1000}');
    }
    const found = request.method === 'HEAD' && pathname === '/';
    return reply(response, found ? 200 : 404, '{"type":"error","error":{"type":"not_found_error","message":"none"}}');
  }

  #answer(dialect: Dialect, body: unknown, path: string, response: ServerResponse): void {
    const asked = dialect.asked(body, path);
    const kind = asked.tools.length >= this.#fewestTools ? 'main' : 'side';
    this.tools.push(asked.tools);
    const request: ServedRequest = { kind, model: this.#nameOf(asked.model), outcome: 'open' };
    this.requests.push(request);
    const scripted = kind === 'side' ? SIDE_STEP : (this.#steps.shift() ?? this.#fallback);
    const step = typeof scripted === 'function' ? scripted(asked) : scripted;
    const { model } = request;
    const id = `${Date.now().toString(36)}${this.requests.length}`;
    if ('fault' in step) return fail(step, { dialect, request, id, response });
    const tokens = { ...USUAL_TOKENS, ...step.usage };
    const served: Served = { id, model, tokens };
    request.tokens = tokens;
    request.outcome = 'finished';
    if (!dialect.isStreamed(body, path)) return reply(response, 200, dialect.whole(step, asked, served));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(dialect.start(served) + dialect.rest(step, asked, served));
  }
}

function sumOf(requests: readonly ServedRequest[]): ServedTokens {
  const told = requests.flatMap(({ tokens }) => tokens ?? []);
  const sum = (field: keyof ServedTokens) => told.reduce((total, tokens) => total + (tokens[field] ?? 0), 0);
  const tokens = {
    input: sum('input'),
    output: sum('output'),
    cacheRead: sum('cacheRead'),
    cacheWrite: sum('cacheWrite'),
  };
  return told.some(({ reasoning }) => reasoning !== undefined) ? { ...tokens, reasoning: sum('reasoning') } : tokens;
}

interface Failing {
  readonly dialect: Dialect;
  readonly request: ServedRequest;
  readonly id: string;
  readonly response: ServerResponse;
}

function fail({ fault, resetsInSeconds = 3600 }: FaultStep, { dialect, request, id, response }: Failing): void {
  // A refusal tells of a window that opens again in an hour.
  const refusal = dialect.refusal(fault, Date.now() + (resetsInSeconds - 3600) * 1000);
  request.outcome = refusal === undefined ? 'broken' : 'refused';
  if (refusal !== undefined) return reply(response, refusal.status, refusal.body, refusal.headers);
  request.tokens = fault === 'cut-off' ? USUAL_TOKENS : dialect.tokensAtStart;
  const served: Served = { id, model: request.model, tokens: request.tokens ?? USUAL_TOKENS };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(dialect.start(served), () => {
    // What was sent arrives; the end of the answer does not.
    if (fault === 'disconnect') response.socket?.end();
    if (fault === 'stream-error') response.end(dialect.streamError());
    if (fault === 'cut-off') response.end(dialect.restCutOff(served));
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

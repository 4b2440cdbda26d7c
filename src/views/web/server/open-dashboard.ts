import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { getRequestListener } from '@hono/node-server';
import { ConfigError } from '../../../model/errors.js';
import type { Surroundings } from '../../../app/surroundings.js';
import type { ShownFleet } from './fleet-rows.js';
import { admit, type Doorway } from './gate.js';
import type { Keys } from './keys.js';
import { readPageFiles } from './page-files.js';
import { type Refusal, refusalOf, UNEXPECTED } from './refusal.js';
import { refusalAnswer } from './refusal-answer.js';
import { createRoutes } from './routes.js';
import { RunIndex } from './run-index.js';
import { RunViews } from './run-views.js';

const REQUEST_MS = 10_000;
const CHECK_MS = 2000;
const MOST_CONNECTIONS = 400;
const MOST_HEADER_BYTES = 16 * 1024;

export interface DashboardOptions {
  /** Whose runs are shown next to those of all known projects. */
  readonly folder: string;
  readonly fleet?: ShownFleet | undefined;
  readonly context: Surroundings;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly keys: Keys;
}

export interface Dashboard {
  readonly port: number;
  /** With the token. */
  readonly url: string;
  /** Ends every stream and every connection. */
  readonly close: () => Promise<void>;
}

/** Listens, or throws ConfigError when it cannot. It reads files and uses control sockets: no run notices it. */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { folder, fleet, context, host, keys } = options;
  const views = new RunViews(context.environment, fleet);
  const index = new RunIndex(folder, context, undefined, fleet);
  const { fetch } = createRoutes({ index, views, files: readPageFiles(), context });
  const errorHandler = () => Response.json({ error: UNEXPECTED }, { status: 500 });
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false, errorHandler });
  const server = createServer({ maxHeaderSize: MOST_HEADER_BYTES, connectionsCheckingInterval: CHECK_MS });
  server.headersTimeout = REQUEST_MS;
  server.requestTimeout = REQUEST_MS;
  server.maxConnections = MOST_CONNECTIONS;
  const port = await listen(server, options);
  const doorway: Doorway = { keys, port, hosts: namesOf(host, port) };
  server.on('request', (request, response) => {
    if (letIn(request, response, doorway)) void answer(request, response);
  });
  // Nothing here speaks another protocol.
  server.on('upgrade', (_, socket) => {
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n', () => socket.destroy());
  });
  return {
    port,
    url: `http://${inAddress(isEveryAddress(host) ? hostname() : host)}:${port}/?token=${keys.token}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await views.close();
    },
  };
}

function listen(server: Server, { host, port }: DashboardOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(whyNot(error, host, port)));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      // A connection that cannot be taken is its own affair.
      server.on('error', () => undefined);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function whyNot({ code = 'an error' }: NodeJS.ErrnoException, host: string, port: number): ConfigError {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is taken; --port takes another, and without it a free one is found`,
    EACCES: `port ${port} needs special permissions; use one from 1024 up`,
    EADDRNOTAVAIL: `${host} is not an address of this machine`,
    ENOTFOUND: `${host} is not an address of this machine`,
  };
  const message = `pawl: ${why[code] ?? `cannot listen on ${host}: ${code}`}`;
  return new ConfigError([{ path: '', message }]);
}

/** What a browser calls this server by. */
function namesOf(host: string, port: number): ReadonlySet<string> {
  const every = isEveryAddress(host) ? [hostname(), ...ownAddresses()] : [];
  const names = ['127.0.0.1', 'localhost', '::1', host, ...every].map((name) => inAddress(name).toLowerCase());
  return new Set(names.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]));
}

function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((one) => (one ?? []).map(({ address }) => address));
}

function inAddress(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

function letIn(request: IncomingMessage, response: ServerResponse, doorway: Doorway): boolean {
  for (const [name, value] of Object.entries(ANSWER_HEADERS)) response.setHeader(name, value);
  try {
    const { setCookie } = admit(request, doorway);
    if (setCookie !== undefined) response.setHeader('set-cookie', setCookie);
    return true;
  } catch (error) {
    turnAway(request, response, refusalOf(error));
    return false;
  }
}

/** Whatever it still has to send is not waited for. */
function turnAway({ url = '' }: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const { type, text } = refusalAnswer(url, refusal);
  response.writeHead(refusal.status, { ...refusal.headers, 'content-type': type, connection: 'close' });
  response.end(text);
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** On every answer, whatever it is. */
const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

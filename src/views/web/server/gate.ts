/**
 * What every request must pass before anything of it is used. A page of someone else can make a browser send requests
 * here, and a name of someone else's can be made to lead here: what such a request cannot forge is inspected first.
 */
import type { IncomingMessage } from 'node:http';
import type { Keys } from './keys.js';
import { Refusal } from './refusal.js';
import { isAnswerAddress } from './signed-answer.js';

const LONGEST_ADDRESS = 4096;

export interface Doorway {
  readonly keys: Keys;
  readonly port: number;
  /** The names, with the port, by which this server may be called. */
  readonly hosts: ReadonlySet<string>;
}

export interface Admitted {
  /** Anyone who came with the token in the address of the page gets the cookie. */
  readonly setCookie?: string | undefined;
}

type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>;

/** Throws a Refusal. */
export function admit(request: Asked, doorway: Doorway): Admitted {
  const { method, headers } = request;
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') throw wrongMethod();
  const url = addressOf(request);
  // Its streams have no end, so that their heads would be of no use.
  if (method === 'HEAD' && isOfApi(url.pathname)) throw wrongMethod();
  if (method === 'POST' && isAnswerAddress(url.pathname)) return admitAnswer(headers);
  checkHost(request, doorway.hosts);
  checkSender(request, url.pathname);
  if (method === 'POST') checkPost(headers);
  const isPage = method !== 'POST' && url.pathname === '/';
  const admission = doorway.keys.admit({
    cookie: cookieOf(headers.cookie, cookieName(doorway.port)),
    token: bearerOf(headers.authorization) ?? (isPage ? (url.searchParams.get('token') ?? undefined) : undefined),
  });
  if (admission.kind === 'wait') {
    const message = `too many wrong tokens; try again in ${admission.seconds} s`;
    throw new Refusal(429, message, { headers: { 'retry-after': String(admission.seconds) } });
  }
  if (admission.kind === 'unknown') throw new Refusal(401, 'open the address that pawl ui has printed');
  const isNew = isPage && admission.kind === 'token';
  return isNew ? { setCookie: `${cookieName(doorway.port)}=${doorway.keys.cookie}; ${COOKIE_RULES}` } : {};
}

/** It comes from a program, by whatever name, and is checked by its signature. No page has business here. */
function admitAnswer(headers: Asked['headers']): Admitted {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined)
    throw new Refusal(403, 'this request may not come from another page');
  checkJson(headers);
  return {};
}

/** Who asks for these is a program, or the page. */
export function isOfApi(path: string): boolean {
  return /^\/api(?:[/?]|$)/.test(path);
}

function wrongMethod(): Refusal {
  return new Refusal(405, 'only GET and POST are allowed', { headers: { allow: 'GET, POST' } });
}

const COOKIE_RULES = 'HttpOnly; SameSite=Strict; Path=/';

/** Servers on other ports of the same machine share a browser's cookies: each has a name of its own. */
export function cookieName(port: number): string {
  return `pawl_${port}`;
}

function addressOf({ url = '' }: Asked): URL {
  if (url.length > LONGEST_ADDRESS) throw new Refusal(414, 'the address is too long');
  if (!/^\/(?!\/)/.test(url) || !URL.canParse(url, 'http://pawl')) {
    throw new Refusal(400, 'this is not an address of this server');
  }
  // What one reader of addresses takes for a slash is none to another.
  if (url.includes('\\')) throw new Refusal(404, 'this address does not exist');
  return new URL(url, 'http://pawl');
}

/** A name that leads to this machine by someone else's DNS is not ours. */
function checkHost({ headers, rawHeaders }: Asked, hosts: ReadonlySet<string>): void {
  const given = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (given.length !== 1 || !hosts.has(hostOf(headers))) {
    throw new Refusal(403, 'the dashboard does not answer to this host name');
  }
}

/** The case of a name means nothing; browsers send small letters. */
function hostOf({ host = '' }: Asked['headers']): string {
  return host.toLowerCase();
}

function checkSender({ headers }: Asked, path: string): void {
  if (headers.origin !== undefined && headers.origin !== `http://${hostOf(headers)}`) {
    throw new Refusal(403, 'this request may not come from another page');
  }
  const site = headers['sec-fetch-site'];
  const isOurs = site === undefined || site === 'same-origin' || site === 'none';
  // Cookies do not know of ports, so that a page of another server on this machine would come with ours.
  if (!isOurs && path !== '/') throw new Refusal(403, 'this request may not come from another page');
}

/** What a form of another page can send is not enough. */
function checkPost(headers: Asked['headers']): void {
  const site = headers['sec-fetch-site'];
  if (headers.origin === undefined || (site !== undefined && site !== 'same-origin')) {
    throw new Refusal(403, 'a command must come from the page itself');
  }
  checkJson(headers);
}

function checkJson(headers: Asked['headers']): void {
  if (!/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
    throw new Refusal(415, 'a command is sent as application/json');
  }
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const pair = (header ?? '').split(';').find((part) => part.trim().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1);
}

function bearerOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(header)?.[1] ?? '');
}

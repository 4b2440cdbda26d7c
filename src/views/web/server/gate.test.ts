import { describe, expect, it } from 'vitest';
import { admit, type Admitted } from './gate.js';
import { Keys } from './keys.js';
import { Refusal } from './refusal.js';

const keys = new Keys('t'.repeat(43));
const doorway = { keys, port: 4000, hosts: new Set(['127.0.0.1:4000', 'localhost:4000']) };
const HOST = 'localhost:4000';
const COOKIE = `other=1; pawl_4000=${keys.cookie}`;

type Headers = Readonly<Record<string, string>>;

/** The status of the refusal, or what is given to who comes in. */
function ask(method: string, url: string, headers: Headers): number | Admitted {
  const all: Headers = { host: HOST, ...headers };
  try {
    return admit({ method, url, headers: all, rawHeaders: Object.entries(all).flat() }, doorway);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.status;
  }
}

const get = (url: string, headers: Headers = {}) => ask('GET', url, headers);
const post = (headers: Headers) =>
  ask('POST', '/api/runs/x/commands', {
    cookie: COOKIE,
    origin: `http://${HOST}`,
    'content-type': 'application/json',
    ...headers,
  });

it('the address with the token gives the cookie, and the cookie opens everything', () => {
  const setCookie = `pawl_4000=${keys.cookie}; HttpOnly; SameSite=Strict; Path=/`;
  expect(get(`/?token=${keys.token}`)).toEqual({ setCookie });
  expect(get('/', { cookie: COOKIE })).toEqual({});
  expect(get('/api/runs', { cookie: COOKIE })).toEqual({});
  expect(post({})).toEqual({});
});

it('a bearer is let in without a cookie', () => {
  expect(get('/metrics', { authorization: `Bearer ${keys.token}` })).toEqual({});
  expect(get('/metrics', { authorization: 'Bearer no' })).toBe(401);
  expect(get('/metrics', { authorization: `Basic ${keys.token}` })).toBe(401);
});

it('the token in the address is good for the page alone', () => {
  expect(get(`/api/runs?token=${keys.token}`)).toBe(401);
});

describe('what another page can make a browser send', () => {
  it.each([
    ['another origin', { origin: 'http://evil.example' }],
    ['no origin at all', { origin: 'null' }],
    ['the right name with another port', { origin: 'http://localhost:3000' }],
    ['our other name', { origin: 'http://127.0.0.1:4000' }],
    ['https', { origin: `https://${HOST}` }],
    ['a fetch of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a fetch of another port', { 'sec-fetch-site': 'same-site' }],
  ])('%s is refused', (_what, headers: Headers) => {
    expect(get('/api/runs', { cookie: COOKIE, ...headers })).toBe(403);
    expect(post(headers)).toBe(403);
  });

  it('a link to the page is no attack', () => {
    expect(get(`/?token=${keys.token}`, { 'sec-fetch-site': 'cross-site' })).toHaveProperty('setCookie');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp', ''])(
    'a form that sends %j is no command',
    (type) => {
      expect(post({ 'content-type': type })).toBe(415);
    },
  );

  it('a command without an origin is refused, even with everything else', () => {
    const headers = { cookie: COOKIE, 'content-type': 'application/json' };
    expect(ask('POST', '/api/runs/x/commands', headers)).toBe(403);
  });
});

describe('a name that is not ours', () => {
  it.each(['evil.example', 'evil.example:4000', 'localhost', 'localhost:4001', '127.0.0.1', '', 'EVIL.EXAMPLE:4000'])(
    '%j is refused',
    (host) => {
      expect(get(`/?token=${keys.token}`, { host })).toBe(403);
    },
  );

  it('two names are refused', () => {
    const rawHeaders = ['Host', HOST, 'host', 'evil.example'];
    expect(() => admit({ method: 'GET', url: '/', headers: { host: HOST }, rawHeaders }, doorway)).toThrow(/name/);
  });
});

it('a name in capital letters is the same name', () => {
  const headers = { cookie: COOKIE, host: 'LocalHost:4000' };
  expect(get('/api/runs', headers)).toEqual({});
  expect(post({ host: 'LOCALHOST:4000' })).toEqual({});
});

it('who only asks whether it is there has to pass the same', () => {
  for (const path of ['/', '/metrics', '/assets/x.js']) {
    expect(ask('HEAD', path, { cookie: COOKIE })).toEqual({});
    expect(ask('HEAD', path, {})).toBe(401);
    expect(ask('HEAD', path, { cookie: COOKIE, host: 'evil.example' })).toBe(403);
  }
  expect(ask('HEAD', '/metrics', { cookie: COOKIE, 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(ask('HEAD', '/api/runs/events', { cookie: COOKIE })).toBe(405);
});

it.each(['OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PATCH', 'CONNECT'])('%s is not answered', (method) => {
  expect(ask(method, '/', { cookie: COOKIE })).toBe(405);
});

it.each([
  ['http://evil.example/', 400],
  ['//evil.example/', 400],
  ['*', 400],
  ['', 400],
  [`/${'a'.repeat(5000)}`, 414],
])('the address %.30j is refused', (url, status) => {
  expect(get(url, { cookie: COOKIE })).toBe(status);
});

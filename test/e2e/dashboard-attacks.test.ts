/** What a page, a process or a user who should not can try against the dashboard, over real sockets. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { type Answer, DashboardProcess } from '../support/dashboard-process.js';
import { FULL } from '../support/full-form.js';

const WAIT = { timeout: 60_000, interval: 50 };
let cli: BuiltCli;
let project: CliProject;
let dashboard: DashboardProcess;
let run = '';
let slow: { readonly closed: Promise<unknown>; readonly text: () => string }[] = [];

beforeAll(async () => {
  cli = new BuiltCli('attacks');
  project = new CliProject(cli, { agent: 'date +%s%N > stamp; echo "a </script> b"' });
  const ran = await project.pawl(
    'run',
    '-p',
    'x',
    '--max-iterations',
    '2',
    '--delay',
    '0s',
    '--quiet',
    '--',
    './agent.sh',
  );
  expect(ran).toMatchObject({ status: 3 });
  [run = ''] = readdirSync(join(project.path, '.ralph', 'runs')).filter((name) => name.startsWith('loop_'));
  dashboard = await start();
  slow = ['GET / HTTP/1.1\r\nHost: x\r\nX-A: ', `POST /api/runs/${run}/commands HTTP/1.1\r\nHost: `].map(dribble);
});
afterAll(async () => {
  await dashboard.end();
  cli.remove();
});

function start(...words: readonly string[]): Promise<DashboardProcess> {
  return new DashboardProcess(cli.bin, words, { cwd: project.path, env: project.env }).opened();
}

/** Sends a byte now and then, and never an end. */
function dribble(beginning: string) {
  const socket = dashboard.open();
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.write(beginning);
  const timer = setInterval(() => socket.write('a'), 500);
  const closed = once(socket, 'close').finally(() => clearInterval(timer));
  return { closed, text: () => text };
}

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
const NOBODY = { authorization: '' };

function expectGuarded({ headers }: Pick<Answer, 'headers'>): void {
  expect(headers).toMatchObject({
    'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'; style-src 'self';"),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  });
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
}

describe('who comes in', () => {
  it('the address that was printed gives the page and a cookie, which opens everything else', async () => {
    const page = await dashboard.ask(`/?token=${dashboard.token}`, { headers: NOBODY });
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const [cookie = ''] = page.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(new RegExp(`^pawl_${dashboard.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`));
    expect(cookie).not.toContain(dashboard.token);
    const headers = { ...NOBODY, cookie: cookie.split(';')[0] ?? '' };
    expect(await dashboard.ask('/', { headers })).toMatchObject({ status: 200 });
    expect(await dashboard.ask('/api/runs', { headers })).toMatchObject({ status: 200 });
  });

  it('without either there is nothing but a page that says so', async () => {
    const page = await dashboard.ask('/', { headers: NOBODY });
    expect(page.status).toBe(401);
    expect(page.body).not.toContain('script');
    const paths = [
      '/api/runs',
      '/api/runs/events',
      `/api/runs/${run}`,
      '/metrics',
      '/index.html',
      '/assets/x.js',
      '/x',
    ];
    for (const path of paths) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await dashboard.ask(path, { headers: NOBODY });
      expect({ path, ...answer }).toMatchObject({ path, status: 401 });
      expectGuarded(answer);
    }
    expect(await dashboard.ask(`/api/runs?token=${dashboard.token}`, { headers: NOBODY })).toMatchObject({
      status: 401,
    });
    expect(await dashboard.ask('/', { headers: { ...NOBODY, cookie: `pawl_${dashboard.port}=x` } })).toMatchObject({
      status: 401,
    });
  });

  it('who has no cookie reads a page, and a program reads JSON', async () => {
    const browser = { ...NOBODY, accept: 'text/html,*/*', 'sec-fetch-dest': 'document' };
    const texts = ['/', '/foo', `/runs/${run}`, '/runs/no-id', '/metrics'].map((path) => [path, 401, browser] as const);
    const known = ['/foo', '/runs/no-id', '/assets/no.js'].map((path) => [path, 404, {}] as const);
    for (const [path, status, headers] of [...texts, ...known]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await dashboard.ask(path, { headers });
      expect({ path, status: answer.status }).toEqual({ path, status });
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.body).toMatch(/^<!doctype html>.*<p>Pawl: [a-z ]+\.<\/p>/);
      expectGuarded(answer);
    }
    for (const headers of [browser, {}]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await dashboard.ask('/api/nothing', { headers });
      expect(answer.headers['content-type']).toBe('application/json');
      expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
    }
  });

  it('who only asks whether it is there hears the same, without the body', async () => {
    const [asset = ''] = /\/assets\/[\w.-]+\.js/.exec((await dashboard.ask('/')).body) ?? [];
    for (const path of ['/', '/metrics', asset, '/nothing']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const [head, whole] = await Promise.all([dashboard.ask(path, { method: 'HEAD' }), dashboard.ask(path)]);
      expect({ path, status: head.status, body: head.body }).toEqual({ path, status: whole.status, body: '' });
      expect(head.headers['content-type']).toBe(whole.headers['content-type']);
      expectGuarded(head);
    }
    expect(await dashboard.ask('/', { method: 'HEAD', headers: NOBODY })).toMatchObject({ status: 401, body: '' });
    const host = 'evil.example';
    expect(await dashboard.ask('/', { method: 'HEAD', headers: { host } })).toMatchObject({ status: 403 });
  });

  it('whoever guesses is made to wait, and whoever is in goes on', async () => {
    const other = await start();
    onTestFinished(() => other.end());
    const page = await other.ask(`/?token=${other.token}`, { headers: NOBODY });
    const cookie = page.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    for (let n = 0; n < 5; n += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await other.ask(`/?token=wrong${n}`, { headers: NOBODY })).toMatchObject({ status: 401 });
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await other.ask('/metrics', { headers: { authorization: `Bearer ${n}` } })).toMatchObject({ status: 401 });
    }
    const refused = await other.ask('/api/runs');
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } });
    expect(await other.ask('/api/runs', { headers: { ...NOBODY, cookie } })).toMatchObject({ status: 200 });
    expect(other.stderr).not.toContain(other.token);
  });

  it('the token is in no answer', async () => {
    const paths = ['/', '/api/runs', `/api/runs/${run}`, '/metrics', '/nothing'];
    const answers = await Promise.all(paths.map((path) => dashboard.ask(path)));
    for (const { body, headers } of answers) expect(`${body}${JSON.stringify(headers)}`).not.toContain(dashboard.token);
    expect(dashboard.stderr).toBe('');
  });
});

describe('other pages and other names', () => {
  it.each([
    'evil.example',
    'localhost',
    '127.0.0.1',
    '0.0.0.0:PORT',
    'evil.example:PORT',
    '127.0.0.1.evil.example:PORT',
  ])('a request to %s is refused, whatever it brings', async (name) => {
    const host = name.replace('PORT', String(dashboard.port));
    expect(await dashboard.ask('/api/runs', { headers: { host } })).toMatchObject({ status: 403 });
    expect(await dashboard.ask(`/?token=${dashboard.token}`, { headers: { host } })).toMatchObject({ status: 403 });
  });

  it('all of its own names are good', async () => {
    for (const name of ['127.0.0.1', 'localhost', 'LocalHost', '[::1]']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await dashboard.ask('/api/runs', { headers: { host: `${name}:${dashboard.port}` } });
      expect({ name, status: answer.status }).toEqual({ name, status: 200 });
    }
  });

  it('a form, a fetch and a script of another page change nothing', async () => {
    const path = `/api/runs/${run}/commands`;
    const command = { type: 'stop' };
    const refused = [
      dashboard.post(path, command, { origin: 'http://evil.example' }),
      dashboard.post(path, command, { origin: 'null' }),
      dashboard.post(path, command, { origin: 'http://localhost:3000' }),
      dashboard.post(path, command, { origin: '' }),
      dashboard.post(path, command, { 'sec-fetch-site': 'same-site' }),
      dashboard.ask('/api/runs', { headers: { origin: 'http://evil.example' } }),
      dashboard.ask('/api/runs', { headers: { 'sec-fetch-site': 'cross-site' } }),
      dashboard.ask('/metrics', { headers: { 'sec-fetch-site': 'same-site' } }),
    ];
    for (const answer of await Promise.all(refused)) expect(answer.status).toBe(403);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await dashboard.post(path, command, form)).toMatchObject({ status: 415 });
    expect(await dashboard.post(path, command, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
  });
});

describe('paths', () => {
  const TRAVERSALS = [
    '/../package.json',
    '/../../../../../../etc/passwd',
    '/assets/../../pawl.js',
    '/%2e%2e/package.json',
    '/%2e%2e%2fpackage.json',
    '/%252e%252e%252fpackage.json',
    '/..%5cpackage.json',
    '/assets/..%2f..%2fpawl.js',
    '/index.html%00.js',
    '/%00',
    '/%ff%fe',
    '/%',
    '/INDEX.HTML',
    '/index.html/',
    '/__proto__',
    '/api/runs/..%2f..%2fetc',
    '/api/runs/%2e%2e/events',
    '/api/runs/loop_01',
    '/api/runs/__proto__',
    '/api/runs/l\\x/events',
    '/api/runs/loop_00000000000000000000000000',
    '/api',
    '/api/',
    '/api/runs/',
  ];
  it.each(TRAVERSALS)('%s is nowhere', async (path) => {
    const request = `GET ${path} HTTP/1.1\r\nHost: ${dashboard.host}\r\nAuthorization: Bearer ${dashboard.token}\r\nConnection: close\r\n\r\n`;
    const text = await dashboard.raw(request);
    expect(statusOf(text)).toBe(404);
    expect(text).not.toMatch(/root:|"version"/);
  });

  it.each(['http://evil.example/', '//evil.example/', '*', 'a', '\\', '/a b'])('%j is no address', async (path) => {
    const request = `GET ${path} HTTP/1.1\r\nHost: ${dashboard.host}\r\nAuthorization: Bearer ${dashboard.token}\r\nConnection: close\r\n\r\n`;
    expect([400, 404]).toContain(statusOf(await dashboard.raw(request)));
  });

  it('figures that are none are said to be so', async () => {
    const paths = [
      'iterations/-1',
      'iterations/x',
      'iterations/1e3',
      'items/x',
      'events?after=x',
      'iterations/99999999999999999',
    ];
    for (const path of paths) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await dashboard.ask(`/api/runs/${run}/${path}`);
      expect({ path, status: answer.status }).toEqual({ path, status: 400 });
    }
    expect(await dashboard.ask(`/api/runs/${run}/iterations/77`)).toMatchObject({ status: 404 });
    expect(await dashboard.ask(`/api/runs/${run}/items/0`)).toMatchObject({ status: 404 });
  });
});

describe('what is no request', () => {
  it.each(['HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PATCH'])('%s is refused', async (method) => {
    const answer = await dashboard.ask('/api/runs', { method });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } });
    expectGuarded(answer);
  });

  it('a web socket is refused and closed', async () => {
    const head = `GET /api/runs/events HTTP/1.1\r\nHost: ${dashboard.host}\r\nAuthorization: Bearer ${dashboard.token}`;
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13';
    expect(statusOf(await dashboard.raw(`${head}\r\n${upgrade}\r\n\r\n`))).toBe(400);
    expect(await dashboard.raw('CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example:80\r\n\r\n')).toBe('');
  });

  it.each<readonly [string, () => string]>([
    ['a header of 100 KB', () => `GET / HTTP/1.1\r\nHost: ${dashboard.host}\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['an address of 1 MB', () => `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\nHost: ${dashboard.host}\r\n\r\n`],
    ['no host', () => 'GET / HTTP/1.1\r\n\r\n'],
    ['two hosts', () => `GET / HTTP/1.1\r\nHost: ${dashboard.host}\r\nHost: evil.example\r\n\r\n`],
    [
      'two lengths',
      () => `POST / HTTP/1.1\r\nHost: ${dashboard.host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    ],
    [
      'a length and chunks',
      () =>
        `POST / HTTP/1.1\r\nHost: ${dashboard.host}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['another protocol', () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
    ['nonsense', () => '\0\0\0\r\n\r\n'],
  ])('%s is answered with an error, and the next request as ever', async (_what, bytes) => {
    const status = statusOf(await dashboard.raw(bytes()));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(await dashboard.ask('/api/runs')).toMatchObject({ status: 200 });
  });

  it('requests that come all at once are answered in order', async () => {
    const head = `HTTP/1.1\r\nHost: ${dashboard.host}\r\nAuthorization: Bearer ${dashboard.token}\r\n`;
    const text = await dashboard.raw(
      `GET /api/runs ${head}\r\nGET /nothing ${head}\r\nGET /metrics ${head}Connection: close\r\n\r\n`,
      3000,
    );
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '404', '200']);
  });

  it.each(['commands', 'replay'])('nothing sent to %s is said to be no JSON', async (what) => {
    const head = `POST /api/runs/${run}/${what} HTTP/1.1\r\nHost: ${dashboard.host}\r\nOrigin: http://${dashboard.host}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${dashboard.token}\r\nConnection: close\r\n\r\n`;
    const text = await dashboard.raw(head, 3000);
    expect(statusOf(text)).toBe(400);
    expect(text).toContain('the request is not JSON');
  });

  it('what is larger than a command is not read', async () => {
    const path = `/api/runs/${run}/commands`;
    expect(await dashboard.post(path, { type: 'steer', text: 'x'.repeat(70_000) })).toMatchObject({ status: 413 });
    const head = `POST ${path} HTTP/1.1\r\nHost: ${dashboard.host}\r\nOrigin: http://${dashboard.host}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${dashboard.token}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `8000\r\n${'a'.repeat(0x8000)}\r\n`;
    expect(statusOf(await dashboard.raw(`${head}${chunk.repeat(4)}0\r\n\r\n`, 3000))).toBe(413);
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '"stop"',
    '{"type":"nope"}',
    '{"type":"stop","x":1}',
    '{"__proto__":{"type":"stop"}}',
  ])('%j is no command', async (body) => {
    const headers = { origin: `http://${dashboard.host}`, 'content-type': 'application/json' };
    const answer = await dashboard.ask(`/api/runs/${run}/commands`, { method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({
      error: expect.any(String),
      ...(answer.body.includes('issues') ? { issues: expect.any(Array) } : {}),
    });
  });
});

describe('what it shows', () => {
  it('answers of every kind are guarded, and name no stack', async () => {
    const paths = ['/', '/api/runs', `/api/runs/${run}`, `/api/runs/${run}/iterations/1/diff`, '/metrics', '/nothing'];
    for (const path of paths) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await dashboard.ask(path);
      expectGuarded(answer);
      expect(answer.body).not.toMatch(/\n\s+at .*[:)]\d+/);
    }
  });

  it('the list, the run, an iteration and what it changed', async () => {
    const list = JSON.parse((await dashboard.ask('/api/runs')).body) as { readonly runs: readonly object[] };
    expect(list.runs).toEqual([
      expect.objectContaining({ runId: run, status: 'stopped', isLive: false, iterations: 2 }),
    ]);
    const viewed = JSON.parse((await dashboard.ask(`/api/runs/${run}`)).body) as Record<string, unknown>;
    expect(viewed).toMatchObject({
      runId: run,
      project: '~/project',
      policyText: expect.stringContaining('max_iterations: 2'),
    });
    const detail = JSON.parse((await dashboard.ask(`/api/runs/${run}/iterations/2`)).body) as {
      events: { type: string }[];
    };
    expect(detail.events.at(0)?.type).toBe('iteration-started');
    expect(detail.events.at(-1)?.type).toBe('verdict-reached');
    const diff = JSON.parse((await dashboard.ask(`/api/runs/${run}/iterations/2/diff`)).body) as Record<
      string,
      unknown
    >;
    expect(diff).toMatchObject({ isCut: false, patch: expect.stringContaining('+++ b/stamp') });
    expect((await dashboard.ask('/metrics')).body).toContain('pawl_runs');
  });

  it('another policy is tried on it, and what is wrong with one is placed', async () => {
    const path = `/api/runs/${run}/replay`;
    const tried = await dashboard.post(path, { policy: 'limits:\n  - max_iterations: 1\n' });
    expect(JSON.parse(tried.body)).toMatchObject({
      stop: { iteration: 1, class: 'limit' },
      saved: { iterations: 1 },
      notes: [],
    });
    const open = await dashboard.post(path, { policy: 'limits:\n  - max_cost: 5\n' });
    const note = 'max_iterations: 25 is the default; 0 means none';
    expect(JSON.parse(open.body)).toMatchObject({ notes: [note] });
    project.write('open.yaml', 'limits:\n  - max_cost: 5\n');
    expect((await project.pawl('replay', run, '--policy', 'open.yaml')).stderr).toBe(`pawl: ${note}\n`);
    const wrong = await dashboard.post(path, { policy: 'limits:\n  - max_cost: 5\n  - max_costs: 5\n' });
    expect(wrong.status).toBe(400);
    expect(JSON.parse(wrong.body)).toMatchObject({ issues: [{ place: 'policy:3:5' }] });
    expect(await dashboard.post(path, { policy: 7 })).toMatchObject({ status: 400 });
  });

  it('a run that has ended takes no commands', async () => {
    const answer = await dashboard.post(`/api/runs/${run}/commands`, { type: 'pause' });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatch(/is not running/);
  });

  it('pages that are closed at once leave room for those that are not', async () => {
    const head = `HTTP/1.1\r\nHost: ${dashboard.host}\r\nAuthorization: Bearer ${dashboard.token}\r\n\r\n`;
    for (let n = 0; n < 120; n += 1) {
      const socket = dashboard.open();
      const path = n % 2 === 0 ? `/api/runs/${run}/events?after=0` : '/api/runs/events';
      // oxlint-disable-next-line no-await-in-loop -- each is gone before the next one
      await once(socket, 'connect');
      // oxlint-disable-next-line no-await-in-loop -- as above
      await new Promise((sent) => socket.write(`GET ${path} ${head}`, sent));
      socket.destroy();
    }
    const streams = Array.from({ length: 100 }, () => dashboard.stream(`/api/runs/${run}/events`));
    onTestFinished(() => streams.forEach((stream) => stream.close()));
    await expect.poll(() => streams.filter((stream) => stream.text().includes('run-ended')).length, WAIT).toBe(100);
  });

  it('a run that is pruned while somebody looks at it is gone, which is said once', async () => {
    const other = new CliProject(cli);
    const ran = await other.pawl(
      'run',
      '-p',
      'x',
      '--max-iterations',
      '1',
      '--delay',
      '0s',
      '--quiet',
      '--',
      './agent.sh',
    );
    expect(ran).toMatchObject({ status: 3 });
    const [id = ''] = readdirSync(join(other.path, '.ralph', 'runs')).filter((name) => name.startsWith('loop_'));
    const own = await new DashboardProcess(cli.bin, [], { cwd: other.path, env: other.env }).opened();
    onTestFinished(() => own.end());
    const page = own.stream(`/api/runs/${id}/events?after=0`);
    await expect.poll(() => page.text(), WAIT).toContain('run-ended');
    expect(await other.pawl('prune', '--keep', '0s')).toMatchObject({ status: 0 });
    await expect.poll(() => page.text(), WAIT).toContain(`event: gone\ndata: {"runId":"${id}"}`);
    expect(page.text()).not.toContain('start-over');
    expect(await own.ask(`/api/runs/${id}`)).toMatchObject({ status: 404 });
  });

  it('a hundred streams are enough', async () => {
    const streams = Array.from({ length: 100 }, () => dashboard.stream(`/api/runs/${run}/events`));
    onTestFinished(() => streams.forEach((stream) => stream.close()));
    await expect.poll(() => streams.every((stream) => stream.text().includes('run-ended')), WAIT).toBe(true);
    const refused = await dashboard.ask('/api/runs/events');
    expect(refused).toMatchObject({ status: 503, body: expect.stringContaining('100 pages are open') });
    expect(await dashboard.ask('/api/runs')).toMatchObject({ status: 200 });
    streams.forEach((stream) => stream.close());
    await expect
      .poll(async () => {
        const again = dashboard.stream('/api/runs/events');
        await expect.poll(() => again.text(), WAIT).not.toBe('');
        again.close();
        return again.text();
      }, WAIT)
      .toContain('event: list');
  });
});

/** More than the server has connections for. */
const STREAMS = FULL ? 10_000 : 600;

it('of thousands of streams at once a hundred are served, and who was there goes on', async () => {
  const one = await start();
  onTestFinished(() => one.end());
  const honest = one.stream('/api/runs/events');
  await expect.poll(() => honest.text(), WAIT).toContain('event: list');
  const before = residentBytes(one.child.pid);
  const streams = Array.from({ length: STREAMS }, () => flooding(one));
  onTestFinished(() => streams.forEach(({ socket }) => socket.destroy()));
  // Beyond 400 connections a new one is closed without a word.
  const over = () => streams.filter(({ isOver }) => isOver()).length;
  await expect.poll(over, { timeout: 120_000, interval: 200 }).toBe(streams.length);
  const statuses = streams.map(({ status }) => status());
  expect(statuses.filter((status) => status === 200)).toHaveLength(99);
  expect(new Set(statuses)).toEqual(new Set([200, 503, undefined]));
  expect(residentBytes(one.child.pid) - before).toBeLessThan(100_000_000);
  // The refused ones go after some seconds, and whoever asks has room again beside those that stay.
  const asked = () => one.ask('/api/runs', { headers: { connection: 'close' } }).catch(() => undefined);
  await expect.poll(async () => (await asked())?.status, WAIT).toBe(200);
  const seen = honest.text().length;
  await project.pawl('run', '-p', 'x', '--max-iterations', '1', '--delay', '0s', '--quiet', '--', './agent.sh');
  await expect.poll(() => honest.text().length, WAIT).toBeGreaterThan(seen);
  expect(streams.filter(({ socket, status }) => status() === 200 && !socket.destroyed)).toHaveLength(99);
}, 240_000);

/** A stream that is asked for; it is over once it is answered or closed. */
function flooding(one: DashboardProcess) {
  const socket = one.open();
  let status: number | undefined;
  let isOver = false;
  socket.once('close', () => (isOver = true));
  socket.once('data', (chunk: Buffer) => {
    status = statusOf(chunk.toString('latin1'));
    isOver = true;
  });
  const lines = [`GET /api/runs/${run}/events HTTP/1.1`, `Host: ${one.host}`, `Authorization: Bearer ${one.token}`];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return { socket, status: () => status, isOver: () => isOver };
}

function residentBytes(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

describe('a live run', () => {
  it('is followed and steered, and goes on when the dashboard is killed', async () => {
    const live = new CliProject(cli, { agent: 'while [ ! -e go ]; do sleep 0.05; done' });
    const own = new DashboardProcess(cli.bin, [], { cwd: live.path, env: live.env });
    onTestFinished(() => own.end());
    await own.opened();
    const list = own.stream('/api/runs/events');
    const begun = await live.pawl(
      'run',
      '-p',
      'x',
      '--max-iterations',
      '3',
      '--delay',
      '0s',
      '--detach',
      '--',
      './agent.sh',
    );
    expect(begun).toMatchObject({ status: 0 });
    const [id = ''] = readdirSync(join(live.path, '.ralph', 'runs')).filter((name) => name.startsWith('loop_'));
    await expect.poll(() => list.text(), WAIT).toMatch(new RegExp(`event: run\\ndata: .*${id}.*"isLive":true`));
    const records = own.stream(`/api/runs/${id}/events?after=0`, { 'last-event-id': '1' });
    await expect.poll(() => records.text(), WAIT).toContain('"isLive":true');
    expect(records.text()).not.toMatch(/^id: 1$/m);
    const taken = await own.post(`/api/runs/${id}/commands`, { type: 'pause' });
    expect(JSON.parse(taken.body)).toMatchObject({ isPending: true, effect: expect.stringContaining('pauses') });
    await expect.poll(() => records.text(), WAIT).toContain('the dashboard (pawl ui, pid');
    const above = await own.post(`/api/runs/${id}/commands`, {
      type: 'extend',
      limit: { type: 'no_progress', iterations: 3 },
    });
    expect(above).toMatchObject({ status: 400 });
    await own.end();
    expect(JSON.parse((await live.pawl('list', '--json')).stdout)).toMatchObject([{ runId: id, live: true }]);
    live.write('go', '');
    expect(await live.pawl('stop', '--now')).toMatchObject({ status: 0 });
    await live.pawl('wait');
  });
});

describe('how it begins and ends', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends it at once, with streams open', async (signal) => {
    const one = await start();
    const streams = [one.stream('/api/runs/events'), one.stream(`/api/runs/${run}/events`)];
    await expect.poll(() => streams.every((stream) => stream.text() !== ''), WAIT).toBe(true);
    one.child.kill(signal);
    expect(await one.exited).toBe(0);
    expect(one.stderr).toBe('');
  });

  it('nobody who reads what it prints is no reason to end', async () => {
    const one = await start();
    onTestFinished(() => one.end());
    one.child.stdout?.destroy();
    one.child.stderr?.destroy();
    expect(await one.ask('/api/runs')).toMatchObject({ status: 200 });
    one.child.kill('SIGTERM');
    expect(await one.exited).toBe(0);
  });

  it('a token file keeps the token, and one that others can read is refused', async () => {
    const path = join(mkdtempSync(join(cli.folder, 'token-')), 'token');
    const first = await start('--token-file', path);
    onTestFinished(() => first.end());
    const second = await start('--token-file', path);
    onTestFinished(() => second.end());
    expect(second.token).toBe(first.token);
    chmodSync(path, 0o644);
    expect(await project.pawl('ui', '--token-file', path)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('others can read it'),
    });
  });

  it('with a token file an open page goes on when the dashboard is started anew, and without one it does not', async () => {
    const path = join(mkdtempSync(join(cli.folder, 'token-')), 'token');
    const cookieOf = async (one: DashboardProcess) => {
      const page = await one.ask(`/?token=${one.token}`, { headers: NOBODY });
      return page.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    };
    const statusAfterRestart = async (...words: readonly string[]) => {
      const first = await start(...words);
      onTestFinished(() => first.end());
      const cookie = await cookieOf(first);
      await first.end();
      const second = await start('--port', String(first.port), ...words);
      onTestFinished(() => second.end());
      return (await second.ask('/api/runs', { headers: { ...NOBODY, cookie } })).status;
    };
    expect(await statusAfterRestart('--token-file', path)).toBe(200);
    expect(await statusAfterRestart()).toBe(401);
  });

  it('the token is on no command line, and the page that leads to it is gone afterwards', async () => {
    const bin = mkdtempSync(join(cli.folder, 'bin-'));
    writeFileSync(
      join(bin, 'xdg-open'),
      `#!/bin/sh\nprintf '%s\\n' "$@" > ${bin}/words\ncat "$1" > ${bin}/page\nstat -c %a "$1" > ${bin}/mode\n`,
      { mode: 0o755 },
    );
    const env = { ...project.env, PATH: `${bin}:${project.env['PATH']}`, DISPLAY: ':9', TERM: 'xterm' };
    const script = `exec timeout -s INT 3 ${process.execPath} ${cli.bin} ui`;
    const { stdout } = spawnSync('script', ['-qec', script, '/dev/null'], {
      cwd: project.path,
      env,
      encoding: 'utf8',
      timeout: 30_000,
    });
    const token = /token=([\w-]{43})/.exec(stdout)?.[1] ?? 'none';
    const read = (name: string) => spawnSync('cat', [join(bin, name)], { encoding: 'utf8' }).stdout.trim();
    expect(read('page')).toContain(`token=${token}`);
    expect(read('mode')).toBe('600');
    expect(read('words')).not.toContain(token);
    expect(existsSync(read('words'))).toBe(false);
  });
});

it('whoever never ends a request is cut off', async () => {
  await Promise.all(slow.map(({ closed }) => closed));
  for (const { text } of slow) expect([400, 408]).toContain(statusOf(text()));
  expect(await dashboard.ask('/api/runs')).toMatchObject({ status: 200 });
});

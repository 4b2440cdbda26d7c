import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { InvalidState } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import { sendCommand } from './control-client.js';
import { findSockets } from './control-place.js';
import { ControlServer, type Obey, type Obeyed } from './control-server.js';

const RUN = 'loop_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const RUNNING: Obeyed = { status: 'running', effect: { text: 'pauses after this iteration', isPending: true } };
const unasked = (): never => {
  throw new Error('nothing is asked here');
};
const WAIT = { timeout: 60_000, interval: 10 };
const opened: ControlServer[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});

interface Opened {
  readonly server: ControlServer;
  readonly path: string;
  readonly obeyed: LoopCommand[];
  readonly by: string[];
}

function open(options: { readonly obey?: Obey; readonly begin?: boolean; readonly lookMs?: number } = {}): Opened {
  const { obey = () => RUNNING, begin = true, lookMs } = options;
  const home = mkdtempSync(join(tmpdir(), 'pawl-c-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const server = new ControlServer({ runId: RUN, environment: { XDG_RUNTIME_DIR: home }, lookMs });
  opened.push(server);
  const obeyed: LoopCommand[] = [];
  const asked: string[] = [];
  server.open({
    obey(command, by) {
      obeyed.push(command);
      asked.push(by);
      return obey(command, by);
    },
    hear: () => RUNNING,
    ask: unasked,
  });
  if (begin) server.begin();
  return { server, path: server.path ?? '', obeyed, by: asked };
}

const send = async (socket: string, command: LoopCommand, more: object = {}) =>
  (await sendCommand({ socket, runId: RUN, command, by: 'a test', ...more })).status;
const ANSWER = '{"ok":true,"status":"running","effect":"pauses after this iteration","pending":true}';

/** Says what it is given and hears until the other side hangs up. */
function talk(path: string, ...said: (string | Buffer)[]): Promise<string> {
  const socket = client(path);
  for (const text of said) socket.write(text);
  return heard(socket);
}

function client(path: string): Socket {
  const socket = connect(path);
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

function heard(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  return new Promise((resolve) => socket.on('close', () => resolve(text)));
}

const line = (command: object, run = RUN) => `${JSON.stringify({ run, command, by: 'a test' })}\n`;
const OTHER_RUN = 'loop_01ARZ3NDEKTSV4RRFFQ69G5FAW';
/** What was sent before is read: a request to another run comes after it and is refused at once. */
const isRead = (path: string) => talk(path, line({ type: 'stop' }, OTHER_RUN));
const steer = (text: string): LoopCommand => ({ type: 'steer', text });

describe('the control socket of a run', () => {
  it('is for its owner alone, and goes when the run does', async () => {
    const { server, path } = open();
    expect(statSync(path).isSocket()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(send(path, { type: 'pause' })).resolves.toBe('running');
    server.close();
    expect([existsSync(path), server.path]).toEqual([false, undefined]);
    await expect(send(path, { type: 'pause' })).rejects.toMatchObject({
      code: 'InvalidState',
      message: expect.stringContaining('no longer live'),
    });
  });

  it('answers each command with the state after it, or why it is refused', async () => {
    const { path, obeyed, by } = open({
      obey(command) {
        if (command.type === 'skip') throw new InvalidState('paused', 'skip');
        return { ...RUNNING, status: 'paused' };
      },
    });
    await expect(send(path, { type: 'stop', now: true })).resolves.toBe('paused');
    await expect(send(path, { type: 'skip' })).rejects.toMatchObject({
      code: 'InvalidState',
      message: expect.stringMatching(/cannot skip .*paused/),
    });
    expect(obeyed).toEqual([{ type: 'stop', now: true }, { type: 'skip' }]);
    expect(by).toEqual(['a test', 'a test']);
  });

  it('what breaks while a command is obeyed is an answer, not the end of the run', async () => {
    const { path } = open({
      obey() {
        throw new TypeError('oh no');
      },
    });
    await expect(send(path, { type: 'stop' })).rejects.toMatchObject({ message: 'oh no' });
    await expect(send(path, { type: 'stop' })).rejects.toMatchObject({ message: 'oh no' });
  });

  it('a run that is still being prepared takes commands when it is under way, in order', async () => {
    const { server, path, obeyed } = open({ begin: false });
    const answers: ReturnType<typeof send>[] = [];
    for (const text of ['1', '2', '3']) {
      answers.push(send(path, steer(text)));
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await isRead(path);
    }
    expect(obeyed).toEqual([]);
    server.begin();
    await expect(Promise.all(answers)).resolves.toEqual(['running', 'running', 'running']);
    expect(obeyed).toEqual(['1', '2', '3'].map(steer));
  });

  it('many lines of one client are answered one by one, also when they come in pieces', async () => {
    const { path, obeyed } = open();
    const socket = client(path);
    const answers = heard(socket);
    const bytes = Buffer.from(['ä', '😀', 'c'].map((text) => line(steer(text))).join(''));
    for (const byte of bytes) socket.write(Buffer.from([byte]));
    socket.end();
    expect((await answers).trim().split('\n')).toEqual(Array.from({ length: 3 }, () => ANSWER));
    expect(obeyed).toEqual(['ä', '😀', 'c'].map(steer));
  });

  it('a client that closes its side is still answered', async () => {
    const { server, path } = open({ begin: false });
    const socket = client(path);
    const answers = heard(socket);
    socket.end(line({ type: 'pause' }));
    await isRead(path);
    server.begin();
    expect(await answers).toBe(`${ANSWER}\n`);
  });

  it('forty clients at once are all answered', async () => {
    const { path, obeyed } = open();
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => send(path, steer(String(n)))));
    expect(answers).toHaveLength(40);
    expect(new Set(obeyed.map((command) => JSON.stringify(command))).size).toBe(40);
  });

  it('does not obey for another run', async () => {
    const { path, obeyed } = open();
    expect(await talk(path, line({ type: 'stop' }, OTHER_RUN))).toContain('"ok":false');
    expect(obeyed).toEqual([]);
  });

  it.each([
    ['no JSON', 'garbage\n', 'one line of JSON'],
    ['a command that there is not', line({ type: 'destroy' }), 'unknown command'],
    ['a field that there is not', line({ type: 'stop', now: 1 }), 'true or false'],
    ['binary noise', Buffer.concat([Buffer.from([0, 255, 254, 1]), Buffer.from('\n')]), 'one line of JSON'],
    ['a line without end', Buffer.alloc(1_000_000, 'x'), 'at most 65536 bytes'],
    ['a long line', Buffer.concat([Buffer.alloc(70_000, 'x'), Buffer.from('\n')]), 'at most 65536 bytes'],
  ])('%s is answered and hung up on, and others are not disturbed', async (_, said, why) => {
    const { path, obeyed } = open();
    const answer = await talk(path, said);
    expect(answer).toContain('"ok":false');
    expect(answer).toContain(why);
    expect(obeyed).toEqual([]);
    await expect(send(path, { type: 'pause' })).resolves.toBe('running');
  });

  it('a hundred clients that say nothing keep nobody out', async () => {
    const { path } = open();
    const silent = Array.from({ length: 100 }, () => client(path));
    silent.push(client(path).setNoDelay());
    silent.at(-1)?.write('{"run":');
    await expect(send(path, { type: 'pause' })).resolves.toBe('running');
    const dropped = () => silent.filter((socket) => socket.destroyed || socket.readableEnded).length;
    for (const socket of silent) socket.resume();
    await expect.poll(dropped, WAIT).toBeGreaterThan(30);
    await expect(send(path, { type: 'pause' })).resolves.toBe('running');
  });

  it('a flood of commands from a client that never reads is held back, and others still get through', async () => {
    const { path, obeyed } = open();
    const flood = client(path);
    flood.pause();
    for (let n = 0; n < 20_000; n += 1) flood.write(line({ type: 'pause' }));
    await expect.poll(() => obeyed.length, WAIT).toBeGreaterThan(10);
    await expect(send(path, steer('me'))).resolves.toBe('running');
    expect(obeyed.length).toBeLessThan(1000);
    // What is not taken yet waits in the memory of the client.
    expect(flood.writableLength).toBeGreaterThan(500_000);
    flood.destroy();
  });

  it('clients that vanish in the middle of a request do no harm', async () => {
    const { path } = open();
    for (let n = 0; n < 30; n += 1) {
      const socket = client(path);
      socket.write(n % 2 === 0 ? '{"run":"' : line({ type: 'pause' }), () => socket.destroy());
    }
    await expect(send(path, { type: 'pause' })).resolves.toBe('running');
  });

  it('one that is left over from a crash is replaced', async () => {
    const first = open();
    const home = join(first.path, '..', '..');
    first.server.close();
    writeFileSync(first.path, '');
    const server = new ControlServer({ runId: RUN, environment: { XDG_RUNTIME_DIR: home } });
    opened.push(server);
    server.open({ obey: () => RUNNING, hear: () => RUNNING, ask: unasked });
    server.begin();
    expect(server.path).toBe(first.path);
    await expect(send(first.path, { type: 'pause' })).resolves.toBe('running');
  });

  it('one that is removed comes back, in another place if the first is gone', async () => {
    const { path } = open({ lookMs: 10 });
    rmSync(path);
    await expect.poll(() => existsSync(path), WAIT).toBe(true);
    await expect(send(path, { type: 'pause' })).resolves.toBe('running');
    const home = join(path, '..', '..');
    rmSync(home, { recursive: true });
    await expect.poll(() => findSockets(RUN, {}), WAIT).toHaveLength(1);
    await expect(send(findSockets(RUN, {})[0] ?? '', { type: 'pause' })).resolves.toBe('running');
  });

  it('when it cannot be opened, there is a warning and the run goes on', () => {
    const environment = { TMPDIR: join('/', 'x'.repeat(120)) };
    const warnings: string[] = [];
    const server = new ControlServer({ runId: RUN, environment, onWarning: (text) => warnings.push(text) });
    server.open({ obey: () => RUNNING, hear: () => RUNNING, ask: unasked });
    server.begin();
    expect(server.path).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/control socket cannot/)]);
    server.close();
  });

  it('a run that does not answer in time is an error of its own', async () => {
    const { path } = open({ begin: false });
    await expect(send(path, { type: 'pause' }, { timeoutMs: 50 })).rejects.toMatchObject({
      message: expect.stringMatching(/not answer.*0\.05 s/),
    });
  });

  it('nothing is sent to a socket that is not the run’s', async () => {
    await expect(send('/var/run/docker.sock', { type: 'pause' })).rejects.toMatchObject({ code: 'FileSystemError' });
  });
});

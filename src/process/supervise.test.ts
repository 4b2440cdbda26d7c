import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAlive, processesWithCookie, statOf } from './process-table.js';
import { type Ending, type SuperviseRequest, supervise } from './supervise.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENDLESS_BYTES = process.env['PAWL_TEST_FULL'] === '1' ? 300_000_000 : 40_000_000;

/** A script that says so is ended by its caller. */
const READY = 'ready to be ended';

interface Run extends Ending {
  readonly out: string[];
  readonly err: string[];
  readonly cookie: string;
}

/** Runs a shell script under supervision and leaves nothing behind, which is checked for every one. */
async function run(script: string, more: Partial<SuperviseRequest> = {}): Promise<Run> {
  const stop = new AbortController();
  const out: string[] = [];
  const err: string[] = [];
  const cookie = randomUUID();
  const supervised = supervise({
    command: 'bash',
    args: ['--norc', '-c', script],
    cwd: folder,
    env: process.env,
    cookie,
    signals: ['SIGTERM'],
    graceMs: 500,
    timeoutMs: 20_000,
    signal: stop.signal,
    onLine: ({ text }, source) => {
      (source === 'stdout' ? out : err).push(text);
      if (text === READY) stop.abort();
    },
    ...more,
  });
  const ending = await supervised.ended;
  expect(ending.survivors).toEqual([]);
  expect(processesWithCookie(cookie)).toEqual([]);
  return { ...ending, out, err, cookie };
}

/** Bytes of buffers that are referenced. Buffers found by one collection are given back by the next. */
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
function heldBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

const gone = (pids: readonly string[]) =>
  pids.every((pid) => statOf(Number(pid)) === undefined || !isRunning(Number(pid)));
const isRunning = (pid: number) => {
  const stat = statOf(pid);
  return stat !== undefined && isAlive({ pid, startTime: stat.startTime });
};

describe('a supervised process', () => {
  it('is read line by line, and its exit code told', async () => {
    const ending = await run('echo one; echo two >&2; printf three; exit 7');
    expect(ending).toMatchObject({ cause: 'exit', exitCode: 7, stragglers: 0, out: ['one', 'three'], err: ['two'] });
    expect(ending.durationMs).toBeGreaterThan(0);
  });

  it('gets a prompt of a megabyte by its input, to the byte', async () => {
    const input = `${'päwl 🦊 '.repeat(90_000)}\nend`;
    const { out } = await run('sha256sum | cut -d" " -f1', { input });
    const { createHash } = await import('node:crypto');
    expect(out).toEqual([createHash('sha256').update(input).digest('hex')]);
  });

  it('may close its input unread', async () => {
    expect(await run('exec <&-; echo ok', { input: 'x'.repeat(1_000_000) })).toMatchObject({
      exitCode: 0,
      out: ['ok'],
    });
  });

  it('has nothing to read when there is no prompt', async () => {
    expect(await run('cat; echo end')).toMatchObject({ out: ['end'] });
  });

  it('gets its variables to the byte, and none that it should not have', async () => {
    const value = `it's "päwl"\n$(echo x) \`y\` \\ \t* ~ 🦊 `;
    const env = { PATH: process.env['PATH'], PAWL_TEST_VALUE: value, PAWL_TEST_GONE: undefined };
    const { out } = await run('printf "%s|%s" "$PAWL_TEST_VALUE" "${PAWL_TEST_GONE-unset}${HOME-unset}"', { env });
    expect(out.join('\n')).toBe(`${value}|unsetunset`);
  });

  it('may signal its own group, even with KILL', async () => {
    expect(await run('trap : TERM; kill 0; echo alive')).toMatchObject({ cause: 'exit', exitCode: 0, out: ['alive'] });
    expect(await run('echo first; kill -KILL 0')).toMatchObject({ cause: 'exit', signal: 'SIGKILL', out: ['first'] });
  });

  it('gets its signals in order, and time for each', async () => {
    const script = `trap "echo int" INT; trap "echo term; exit 3" TERM; echo ${READY}; while :; do sleep 0.05; done`;
    const ending = await run(script, { signals: ['SIGINT', 'SIGTERM'] });
    expect(ending).toMatchObject({ cause: 'aborted', exitCode: 3, out: [READY, 'int', 'term'] });
  });

  it('is killed when it ignores them', async () => {
    const ending = await run(`trap "" TERM INT; echo ${READY}; while :; do sleep 0.05; done`);
    expect(ending).toMatchObject({ cause: 'aborted', signal: 'SIGKILL', out: [READY] });
    expect(ending.exitCode).toBeUndefined();
  });

  it('that heeds the first signal is spared the next', async () => {
    const script = `trap "echo int; exit 4" INT; trap "echo term" TERM; echo ${READY}; while :; do sleep 0.05; done`;
    const ending = await run(script, { signals: ['SIGINT', 'SIGTERM'], graceMs: 20_000 });
    expect(ending).toMatchObject({ cause: 'aborted', exitCode: 4, out: [READY, 'int'] });
  });

  it('is ended by its caller, and the first cause stays', async () => {
    expect(await run(`echo ${READY}; sleep 60`)).toMatchObject({ cause: 'aborted', signal: 'SIGTERM' });
    expect(await run('sleep 60', { signal: AbortSignal.abort() })).toMatchObject({ cause: 'aborted' });
  });

  it('ends for the first reason that it was given', async () => {
    const supervised = supervise({
      command: 'sleep',
      args: ['60'],
      cwd: folder,
      env: process.env,
      cookie: randomUUID(),
      signals: ['SIGTERM'],
      graceMs: 500,
      timeoutMs: 20_000,
      onLine: () => undefined,
    });
    supervised.kill('idle');
    supervised.kill('aborted');
    expect(await supervised.ended).toMatchObject({ cause: 'idle', signal: 'SIGTERM' });
  });

  it('that was stopped dies all the same', async () => {
    expect(await run('kill -STOP $$', { timeoutMs: 1500 })).toMatchObject({ cause: 'timeout', signal: 'SIGKILL' });
  });

  it.each([
    ['no-such-program', 'no-such-program is not a program'],
    [folder, 'is not a program'],
  ])('%s cannot be started, and says so', async (command, why) => {
    const ending = await run('', { command });
    expect(ending).toMatchObject({ cause: 'not-started', stragglers: 0 });
    expect(ending.error).toContain(why);
  });

  it.each<[string, Partial<SuperviseRequest>, string]>([
    ['with more words than the system takes', { args: ['-c', 'x'.repeat(3_000_000)] }, 'E2BIG'],
    ['by an interpreter that has none itself', { command: './second', env: { PATH: folder } }, 'ENOENT'],
    ['in a folder that is a file', { command: '/bin/sh', cwd: join(folder, 'first') }, 'ENOTDIR'],
  ])('%s cannot be started, and says so', async (_, more, why) => {
    const script = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o755 });
    script('first', '#!/no/such/interpreter\n');
    script('second', `#!${join(folder, 'first')}\n`);
    const ending = await run('', more);
    expect(ending).toMatchObject({ cause: 'not-started', error: expect.stringContaining(why) });
  });

  it('that was never started is not harmed by being ended', async () => {
    const onLine = () => undefined;
    const never = { args: [], cwd: folder, env: {}, cookie: 'x', signals: [], graceMs: 1, timeoutMs: 1, onLine };
    for (const command of ['no-such-program', './second']) {
      const supervised = supervise({ ...never, command });
      supervised.kill('aborted');
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await supervised.ended).toMatchObject({ cause: 'not-started' });
    }
  });

  it('works where its PATH leads to no program', async () => {
    const ending = await run('', { command: '/bin/sh', args: ['-c', 'echo ok'], env: { PATH: folder } });
    expect(ending).toMatchObject({ cause: 'exit', exitCode: 0, out: ['ok'] });
  });

  it('cannot be started in a folder that is not there', async () => {
    expect(await run('echo', { cwd: join(folder, 'gone') })).toMatchObject({
      cause: 'not-started',
      error: expect.stringContaining('is gone'),
    });
  });
});

describe('what a process leaves behind', () => {
  it('in its group dies with it', async () => {
    const { out, stragglers } = await run('sleep 300 & echo $!; exit 0');
    expect(gone(out)).toBe(true);
    expect(stragglers).toBeLessThanOrEqual(1);
  });

  it('in a session of its own, deaf to signals, holding its output: dies, and holds nobody up', async () => {
    const deaf = 'setsid bash -c \'trap "" TERM INT HUP; echo $$; touch deaf; sleep 300\' &';
    const script = `${deaf} until [ -e deaf ]; do sleep 0.02; done; echo end; exit 0`;
    const ending = await run(script);
    expect(ending).toMatchObject({ cause: 'exit', exitCode: 0 });
    expect(ending.out.at(-1)).toBe('end');
    expect(ending.stragglers).toBeGreaterThanOrEqual(1);
    expect(gone(ending.out.slice(0, 1))).toBe(true);
  });

  it('the same after a timeout, when the process itself is deaf too', async () => {
    const script = 'trap "" TERM; setsid bash -c \'trap "" TERM; echo $$; sleep 300\' & while :; do sleep 0.05; done';
    const ending = await run(script, { timeoutMs: 2000 });
    expect(ending).toMatchObject({ cause: 'timeout', signal: 'SIGKILL' });
    expect(gone(ending.out)).toBe(true);
  });

  it('without its environment and its parent is found by the snapshot, if it was seen once', async () => {
    const daemon = "env -i setsid sh -c 'echo $$; exec sleep 300 >/dev/null 2>&1' &";
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const onLife = () => {
      vi.advanceTimersToNextTimer();
      writeFileSync(join(folder, 'seen'), '');
    };
    const ending = await run(`${daemon} until [ -e seen ]; do sleep 0.02; done`, { onLife });
    expect(ending.stragglers).toBeGreaterThanOrEqual(1);
    expect(gone(ending.out)).toBe(true);
  });

  it('that forks without end is caught up with', async () => {
    // Each starts the next one in a session of its own. When none is left, none can come.
    const forks = 'echo >> forks; sleep 0.1; setsid bash -c "$forks" & sleep 300';
    const third = 'until [ -e forks ] && [ "$(wc -l < forks)" -ge 3 ]; do sleep 0.05; done';
    const ending = await run(`export forks='${forks}'; setsid bash -c "$forks" & ${third}`);
    expect(ending.stragglers).toBeGreaterThan(1);
  });
});

describe('hostile output', () => {
  it('of bytes that are no text is survived', async () => {
    const ending = await run('head -c 200000 /dev/urandom; echo; echo end');
    expect(ending).toMatchObject({ exitCode: 0 });
    expect(ending.out.at(-1)).toBe('end');
  });

  it('in one endless line costs no more than its limit', async () => {
    // Only what is still held counts: how much garbage lies about depends on when it is collected, and to collect it
    // takes longer than to read, so that it is done now and then.
    const before = heldBytes();
    const held: number[] = [];
    let chunks = 0;
    const lengths: number[] = [];
    const ending = await run(`head -c ${ENDLESS_BYTES} /dev/zero | tr "\\0" "x"; echo; echo end`, {
      lineLimitBytes: 1_000_000,
      timeoutMs: 300_000,
      onLife: () => {
        if (++chunks % 100 === 0) held.push(heldBytes() - before);
      },
      onLine: (line) => lengths.push(line.text.length + line.omittedBytes),
    });
    expect(ending.exitCode).toBe(0);
    expect(lengths).toEqual([ENDLESS_BYTES, 3]);
    expect(held.length).toBeGreaterThan(2);
    expect(Math.max(...held)).toBeLessThan(10_000_000);
  });

  it('that is closed early does not end the process', async () => {
    expect(await run('exec >&- 2>&-; sleep 0.4; exit 5')).toMatchObject({ cause: 'exit', exitCode: 5 });
  });
});

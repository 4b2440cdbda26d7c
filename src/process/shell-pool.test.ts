import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { isAlive, type ProcessName, processesOfRun, processesWithCookie, statOf } from './process-table.js';
import { ShellPool } from './shell-pool.js';
import { supervise } from './supervise.js';
import type { SuperviseRequest } from './supervised.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-shells-')));
const RUN = `shells${process.pid}`;
const common = { ...process.env, PAWL_TEST_COMMON: 'common' };
const pool = new ShellPool({ cwd: folder, env: common, cookie: `${RUN}.shell` });
afterAll(async () => {
  await pool.close();
  expect(await leftAfterAll(() => processesOfRun(RUN))).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

/** Who is left once the killed have had time to die. */
async function leftAfterAll(look: () => readonly ProcessName[]): Promise<readonly ProcessName[]> {
  // oxlint-disable-next-line no-await-in-loop -- until they are gone
  for (let round = 0; round < 400 && look().length > 0; round++) await pause(25);
  return look();
}

let jobs = 0;

/** Runs a command line in a shell that stands by; nothing of it may be left. */
async function run(line: string, more: Partial<SuperviseRequest> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const cookie = `${RUN}.${++jobs}.1`;
  let shellPid: number | undefined;
  const ending = await supervise({
    command: '/bin/sh',
    args: ['-c', line],
    cwd: folder,
    env: common,
    cookie,
    signals: ['SIGTERM'],
    graceMs: 500,
    timeoutMs: 20_000,
    onLine: ({ text }, source) => void (source === 'stdout' ? out : err).push(text),
    onSpawn: ({ pid }) => (shellPid = pid),
    shells: pool,
    ...more,
  }).ended;
  expect(ending.survivors).toEqual([]);
  expect(processesWithCookie(cookie)).toEqual([]);
  return { ...ending, out, err, shellPid };
}

const isRunning = (pid: number) => {
  const stat = statOf(pid);
  return stat !== undefined && isAlive({ pid, startTime: stat.startTime });
};

describe('a command in a shell that stands by', () => {
  it('is read line by line, and its exit code told', async () => {
    const ending = await run('echo one; echo two >&2; printf three; exit 7');
    expect(ending).toMatchObject({ cause: 'exit', exitCode: 7, stragglers: 0, out: ['one', 'three'], err: ['two'] });
  });

  it('is done by the shell that did the last one', async () => {
    const first = await run('echo $PPID');
    const second = await run('echo $PPID');
    expect(second.out).toEqual(first.out);
    expect(first.out).toEqual([String(first.shellPid)]);
  });

  it('gets its variables and its input to the byte, and none that it should not have', async () => {
    const value = `it's "päwl"\n$(echo x) \`y\` \\ \t* ~ 🦊 `;
    const input = `${value.replaceAll('\n', ' ')}\nEOF\n\\n\n`;
    const env = { ...common, PAWL_TEST_COMMON: undefined, PAWL_TEST_VALUE: value };
    const { out } = await run('printf "%s|" "$PAWL_TEST_VALUE" "${PAWL_TEST_COMMON-unset}"; cat', { env, input });
    expect(out.join('\n')).toBe(`${value}|unset|${input.slice(0, -1)}`);
    // What one was told is not what the next is told.
    expect((await run('echo "${PAWL_TEST_VALUE-unset} $PAWL_TEST_COMMON"')).out).toEqual(['unset common']);
  });

  it.each([
    ['ends without a newline', 'no newline'],
    ['is too long to be said in a script', `${'x'.repeat(200_000)}\n`],
    ['has a zero in it', 'a\0b\n'],
  ])('gets input that %s all the same', async (_, input) => {
    expect((await run('wc -c', { input })).out).toEqual([String(Buffer.byteLength(input))]);
  });

  it('is in its folder, and says so when there is none', async () => {
    mkdirSync(join(folder, "it's a folder"));
    expect((await run('pwd', { cwd: join(folder, "it's a folder") })).out).toEqual([join(folder, "it's a folder")]);
    expect(await run('pwd', { cwd: join(folder, 'gone') })).toMatchObject({ cause: 'not-started' });
    expect((await run('cd /; pwd')).out).toEqual(['/']);
    expect((await run('pwd')).out).toEqual([folder]);
  });

  it('does not spoil the shell for the next one', async () => {
    await run('exec >&- 2>&- <&-; trap "" TERM; set -e; umask 077; ulimit -n 20; alias echo=false; false');
    expect((await run('umask; ulimit -n; echo ok')).out).not.toContain('20');
    expect((await run('printf "a\\036b"; printf "\\036" >&2')).out).toEqual(['a\x1eb']);
    expect((await run('syntax error (')).exitCode).toBe(2);
    expect((await run('echo ok')).out).toEqual(['ok']);
  });

  it('takes signals as one does that was started alone', async () => {
    expect((await run('trap "echo int" INT; kill -INT $$')).out).toEqual(['int']);
    expect(await run('kill -KILL $$')).toMatchObject({ cause: 'exit', exitCode: 137 });
  });

  it('may signal its own group, even with KILL', async () => {
    expect(await run('trap : TERM; kill 0; echo alive')).toMatchObject({ cause: 'exit', exitCode: 0, out: ['alive'] });
    expect(await run('echo first; kill -KILL 0')).toMatchObject({ cause: 'exit', signal: 'SIGKILL', out: ['first'] });
    expect((await run('echo ok')).out).toEqual(['ok']);
  });

  it('gets its signals in order, and is killed when it ignores them', async () => {
    const polite = await run('trap "echo bye; exit 3" TERM; echo up; sleep 20 & wait', { timeoutMs: 300 });
    expect(polite).toMatchObject({ cause: 'timeout', out: ['up', 'bye'] });
    const deaf = await run('trap "" TERM; echo up; while :; do sleep 0.1; done', { timeoutMs: 300, graceMs: 200 });
    expect(deaf).toMatchObject({ cause: 'timeout', signal: 'SIGKILL', out: ['up'] });
  });

  it('leaves nothing behind: in its group, in a session of its own, without its environment', async () => {
    const group = await run('sleep 30 & echo $!');
    const session = await run('setsid sh -c \'trap "" TERM; sleep 30\' >/dev/null 2>&1 & sleep 0.1; echo up');
    const bare = await run('env -i sleep 30 & echo $!');
    expect([group.stragglers, session.stragglers > 0, bare.stragglers]).toEqual([1, true, 1]);
    expect([group, bare].map(({ out }) => isRunning(Number(out[0])))).toEqual([false, false]);
    expect(group.shellPid).not.toBe(bare.shellPid);
  });

  it('never gets the words of another one', async () => {
    let left = 200;
    const work = async (lane: number) => {
      while (left-- > 0) {
        const word = `${lane}-${left}`;
        // oxlint-disable-next-line no-await-in-loop -- one after the other in a lane
        const { out, err, exitCode } = await run(`echo ${word}; echo ${word} >&2; printf ${word}; exit ${lane}`);
        expect({ out, err, exitCode }).toEqual({ out: [word, word], err: [word], exitCode: lane });
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, lane) => work(lane)));
  });
});

describe('the shells', () => {
  it('that cannot be started leave the command to be done in the usual way', async () => {
    const own = new ShellPool({ cwd: join(folder, 'gone'), env: common, cookie: `${RUN}.none` });
    expect(await run('echo ok', { shells: own })).toMatchObject({ exitCode: 0, out: ['ok'] });
    await own.close();
    expect(await run('echo ok', { shells: own })).toMatchObject({ exitCode: 0, out: ['ok'] });
  });

  it('one that was killed while it stood by is not asked again, and leaves nobody beside it', async () => {
    const own = new ShellPool({ cwd: folder, env: common, cookie: `${RUN}.killed` });
    const first = await run('echo ok', { shells: own });
    process.kill(first.shellPid ?? Number.NaN, 'SIGKILL');
    expect(await leftAfterAll(() => processesWithCookie(`${RUN}.killed`))).toEqual([]);
    const second = await run('echo ok', { shells: own });
    expect(second).toMatchObject({ exitCode: 0, out: ['ok'] });
    expect(second.shellPid).not.toBe(first.shellPid);
    await own.close();
  });

  it('do not hand down what a command has no variable for', async () => {
    const { PAWL_TEST_COMMON: _, ...env } = common;
    expect((await run('echo "${PAWL_TEST_COMMON-unset}"', { env })).out).toEqual(['unset']);
  });

  it('are gone when their pool is closed, with what they were doing', async () => {
    const own = new ShellPool({ cwd: folder, env: common, cookie: `${RUN}.own` });
    let ended: ReturnType<typeof run> | undefined;
    await new Promise<void>((isUp) => {
      ended = run('echo up; sleep 30', { shells: own, onLine: () => isUp() });
    });
    await own.close();
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    expect(await leftAfterAll(() => processesWithCookie(`${RUN}.own`))).toEqual([]);
  });

  it('die with their runner, and so does what they were doing', async () => {
    const file = join(folder, 'runner.mjs');
    buildSync({
      stdin: { contents: runnerScript(), resolveDir: import.meta.dirname },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: file,
    });
    const runner = spawn(process.execPath, [file], { cwd: folder, stdio: 'ignore' });
    let pid = Number.NaN;
    for (let round = 0; round < 400 && !isRunning(pid); round++) {
      // oxlint-disable-next-line no-await-in-loop -- until it runs
      await pause(25);
      pid = readPid();
    }
    expect(isRunning(pid)).toBe(true);
    runner.kill('SIGKILL');
    await once(runner, 'exit');
    expect(await leftAfterAll(() => processesOfRun(`${RUN}x`))).toEqual([]);
    expect(isRunning(pid)).toBe(false);
  });
});

function runnerScript(): string {
  return `
    import { ShellPool } from './shell-pool.ts';
    import { supervise } from './supervise.ts';
    const [cwd, env] = ['.', process.env];
    const shells = new ShellPool({ cwd, env, cookie: '${RUN}x.shell' });
    supervise({
      command: '/bin/sh', args: ['-c', 'echo $$ > pid; sleep 60'], cwd, env, cookie: '${RUN}x.1.1',
      signals: [], graceMs: 1, timeoutMs: 60_000, onLine: () => {}, shells,
    });`;
}

function readPid(): number {
  try {
    return Number(readFileSync(join(folder, 'pid'), 'utf8')) || Number.NaN;
  } catch {
    return Number.NaN;
  }
}

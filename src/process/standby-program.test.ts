import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { findProgram } from './find-program.js';
import { descendantsOf, isAlive, nameOfChild, type ProcessName } from './process-table.js';
import { type ProgramStart, StandbyProgram } from './standby-program.js';
import { supervise } from './supervise.js';
import type { SuperviseRequest } from './supervised.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-standby-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PATH = process.env['PATH'];
let turns = 0;

/** Runs a program as an agent is run and tells what it printed. */
async function run(command: string, args: readonly string[], more: Partial<SuperviseRequest> = {}) {
  const out: string[] = [];
  turns += 1;
  const ending = await supervise({
    command,
    args,
    cwd: folder,
    env: { PATH },
    cookie: `standby${process.pid}.${turns}.1`,
    signals: ['SIGTERM'],
    graceMs: 500,
    timeoutMs: 20_000,
    onLine: ({ text }) => out.push(text),
    ...more,
  }).ended;
  expect(ending.survivors).toEqual([]);
  return { ending, text: out.join('\n') };
}

async function gone(name: ProcessName): Promise<void> {
  while (isAlive(name)) await pause(2);
}

const startOf = (more: Partial<ProgramStart> = {}): ProgramStart => ({
  program: '/bin/true',
  args: [],
  cwd: folder,
  env: { PATH },
  before: [],
  ...more,
});
const MARKS = { cookie: 'a.1.1' };
const QUICK = Promise.resolve({ durationMs: 5 });

/** What is put off is put off by one turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Something that waits for this start. */
async function ready(standby: StandbyProgram, start: ProgramStart): Promise<ProcessName> {
  const before = new Set(descendantsOf(process.pid).map(({ pid }) => pid));
  for (let time = 0; time < 2; time++) {
    standby.hasStarted(start, QUICK);
    // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
    await turn();
  }
  const [waiting, ...more] = descendantsOf(process.pid).filter(({ pid }) => !before.has(pid));
  if (waiting === undefined) throw new Error('nothing waits');
  expect(more).toEqual([]);
  return waiting;
}

/** It cannot be kept from saying what it starts, and how deep it is where nobody has counted. */
const ADDED_BY_BASH = new Set(['SHLVL=0', `_=${findProgram('env', '/', PATH)}`]);
const shells = [['/bin/sh'], ...(findProgram('bash', '/', PATH) === undefined ? [] : [['bash called sh']])];
const fileOf = (shell: string): string => {
  if (shell === '/bin/sh') return shell;
  const file = join(folder, 'sh');
  rmSync(file, { force: true });
  symlinkSync(findProgram('bash', '/', PATH) ?? '', file);
  return file;
};

describe.each(shells)('a program for which %s has waited', (shell) => {
  it.each([
    ['few variables', { PATH }, undefined],
    ['those that a shell sets', { PATH, PWD: '/nowhere', OLDPWD: "it's\nodd", SHLVL: '7', HOME: '/' }, 'a-key'],
    ['a name that no shell hands on', { PATH, 'BASH_FUNC_x%%': '() { :; }' }, undefined],
    ['options for the shell', { PATH, SHELLOPTS: 'noglob', IFS: 'a', PS1: '# ' }, 'a-key'],
  ])('gets the same environment: %s', async (_, env, claimKey) => {
    const standby = new StandbyProgram(fileOf(shell));
    const told: string[][] = [];
    for (let time = 0; time < 4; time++) {
      // oxlint-disable-next-line no-await-in-loop -- each is made ready while the one before it works
      const { text } = await run('env', ['-0'], { env, claimKey, standby, cookie: 'same.1.1' });
      told.push(
        text
          .split('\0')
          .filter((line) => !ADDED_BY_BASH.has(line))
          .sort(),
      );
    }
    standby.dismiss();
    expect(told[3]).toEqual(told[0]);
    expect(told[3]?.join('\n')).toContain('PAWL_COOKIE=same.1.1');
  });

  it('gets every byte of its input, and nothing before it', async () => {
    const standby = new StandbyProgram(fileOf(shell));
    for (const input of ['one', '', ' two\\ \n\n', `${'x'.repeat(300_000)}\nend`]) {
      // oxlint-disable-next-line no-await-in-loop -- each is made ready while the one before it works
      expect((await run('cat', [], { input, standby })).text).toBe(input.replace(/\n$/, ''));
    }
    standby.dismiss();
  });
});

describe('what waits', () => {
  it('is the process that works next, told of before it gets its input', async () => {
    const standby = new StandbyProgram();
    await ready(standby, startOf({ program: '/bin/cat' }));
    const waiting = standby.take(startOf({ program: '/bin/cat' }), MARKS);
    expect(waiting?.go).toBe('a.1.1\n\n');
    expect(isAlive(nameOfChild(waiting?.pid ?? 0))).toBe(true);
    waiting?.child.stdin?.end(`${waiting.go}hello`);
    const [chunk] = (await once(waiting?.child.stdout ?? process.stdin, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('hello');
  });

  it('is not started for what takes long, for what was started once, and for what is another each time', async () => {
    const standby = new StandbyProgram();
    const slow = Promise.resolve({ durationMs: 60_000 });
    for (const [args, ended] of [
      [['a'], QUICK],
      [['b'], QUICK],
      [['b'], slow],
    ] as const) {
      standby.hasStarted(startOf({ args }), ended);
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await turn();
      standby.dismiss();
    }
    standby.hasStarted(startOf(), slow);
    await turn();
    standby.hasStarted(startOf(), slow);
    await turn();
    expect(standby.take(startOf(), MARKS)).toBeUndefined();
  });

  it.each([
    ['other arguments', { args: ['other'] }],
    ['another environment', { env: { PATH, MORE: '1' } }],
    ['another folder', { cwd: tmpdir() }],
  ])('is let go when the next start has %s', async (_, other) => {
    const standby = new StandbyProgram();
    await ready(standby, startOf());
    expect(standby.take(startOf(other), MARKS)).toBeUndefined();
    expect(standby.take(startOf(), MARKS)).toBeUndefined();
  });

  it('is not used in a folder that was made again under the same name', async () => {
    const cwd = join(folder, 'again');
    mkdirSync(cwd);
    const standby = new StandbyProgram();
    const waiting = await ready(standby, startOf({ cwd }));
    rmSync(cwd, { recursive: true });
    mkdirSync(join(folder, 'keeps-the-inode'));
    mkdirSync(cwd);
    expect(standby.take(startOf({ cwd }), MARKS)).toBeUndefined();
    await gone(waiting);
  });

  it('and is killed meanwhile is replaced by a start in the usual way', async () => {
    const standby = new StandbyProgram();
    const waiting = await ready(standby, startOf());
    process.kill(waiting.pid, 'SIGKILL');
    await gone(waiting);
    expect(standby.take(startOf(), MARKS)).toBeUndefined();
  });

  it('is gone when nobody is expected any more', async () => {
    const standby = new StandbyProgram();
    const waiting = await ready(standby, startOf());
    standby.dismiss();
    expect(standby.take(startOf(), MARKS)).toBeUndefined();
    await gone(waiting);
  });
});

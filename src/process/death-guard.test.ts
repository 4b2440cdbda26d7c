import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive, type ProcessName, processesOfRun, statOf } from './process-table.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-guard-'));
const RUN = `guard${process.pid}`;

/** Supervises one shell command after the other, as a runner does. */
const RUNNER = `
  import { supervise } from './supervise.ts';
  for (const [at, line] of process.argv.slice(2).entries()) {
    await supervise({
      command: '/bin/sh', args: ['-c', line], cwd: '.', env: process.env, cookie: '${RUN}.' + process.pid + '.' + at,
      signals: [], graceMs: 1, timeoutMs: 60_000, onLine: () => {},
    }).ended;
  }`;

beforeAll(() => {
  buildSync({
    stdin: { contents: RUNNER, resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(folder, 'runner.mjs'),
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function startRunner(...lines: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['runner.mjs', ...lines], { cwd: folder, stdio: 'ignore' });
}

async function until(isSo: () => boolean): Promise<boolean> {
  // oxlint-disable-next-line no-await-in-loop -- until it is so, or much later than it should be
  for (let round = 0; round < 1000 && !isSo(); round++) await pause(25);
  return isSo();
}

/** The process whose id a command wrote to a file. */
async function processIn(name: string): Promise<ProcessName> {
  const read = () => {
    try {
      return Number(readFileSync(join(folder, name), 'utf8'));
    } catch {
      return 0;
    }
  };
  await until(() => statOf(read()) !== undefined);
  return { pid: read(), startTime: statOf(read())?.startTime ?? '' };
}

async function kill(runner: ChildProcess): Promise<void> {
  runner.kill('SIGKILL');
  await once(runner, 'exit');
}

describe('when the runner is killed', () => {
  it('a command that ignores SIGTERM ends, and so do the children that it started', async () => {
    const runner = startRunner(
      'trap "" TERM; (trap "" TERM; while :; do sleep 60; done) & echo $! >child; echo $$ >deaf; wait',
    );
    const found = [await processIn('deaf'), await processIn('child')];
    expect(found.map(isAlive)).toEqual([true, true]);
    await kill(runner);
    expect(await until(() => !found.some(isAlive))).toBe(true);
    expect(await until(() => processesOfRun(RUN).length === 0)).toBe(true);
  });

  it('a child in a session of its own ends as well', async () => {
    const runner = startRunner(
      'trap "" TERM; setsid sh -c \'trap "" TERM; echo $$ >own; while :; do sleep 60; done\' & wait',
    );
    const own = await processIn('own');
    await kill(runner);
    expect(await until(() => !isAlive(own))).toBe(true);
    expect(await until(() => processesOfRun(RUN).length === 0)).toBe(true);
  });

  it('a command has time to clean up', async () => {
    const runner = startRunner('trap "echo clean >cleaned; exit" TERM; echo $$ >polite; sleep 60 & wait');
    const polite = await processIn('polite');
    await kill(runner);
    expect(await until(() => !isAlive(polite))).toBe(true);
    expect(readFileSync(join(folder, 'cleaned'), 'utf8')).toBe('clean\n');
  });

  it('only the command that runs is ended, not those that ended before it', async () => {
    const runner = startRunner('true', 'true', 'trap "" TERM; echo $$ >third; sleep 60 & wait');
    const third = await processIn('third');
    await kill(runner);
    expect(await until(() => !isAlive(third))).toBe(true);
    expect(await until(() => processesOfRun(RUN).length === 0)).toBe(true);
  });
});

it('a guard that was killed is replaced', async () => {
  const find = 'ps -o pid=,args= --ppid $PPID | grep "[g]roups=" | (read -r pid rest; echo $pid)';
  const runner = startRunner(
    `trap "" TERM; guard=$(${find}); kill -9 $guard; while [ "$(${find})" = "$guard" ] || [ -z "$(${find})" ]; do :; done; echo $$ >kept; sleep 60 & wait`,
  );
  const kept = await processIn('kept');
  await kill(runner);
  expect(await until(() => !isAlive(kept))).toBe(true);
});

it('a runner that ends by itself leaves no guard behind', async () => {
  const runner = startRunner('echo $PPID >runner; ps -o pid= --ppid $PPID >children');
  await once(runner, 'exit');
  const pids = readFileSync(join(folder, 'children'), 'utf8').trim().split(/\s+/).map(Number);
  expect(pids.length).toBeGreaterThan(1);
  expect(await until(() => pids.every((pid) => statOf(pid) === undefined))).toBe(true);
});

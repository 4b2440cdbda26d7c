import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Leftovers } from './leftovers.js';
import { descendantsOf, nameOfChild, statOf } from './process-table.js';

const NO_SHELL = 2 ** 30;
const [ONE, OTHER] = [`leftovers${process.pid}.1.1`, `leftovers${process.pid}.2.1`];
const children: ReturnType<typeof sleeper>[] = [];
afterEach(() => {
  for (const { child } of children.splice(0)) child.kill('SIGKILL');
});

function sleeper(cookie: string | undefined, before = '') {
  const env = { PATH: process.env['PATH'], PAWL_COOKIE: cookie };
  const child = spawn('sh', ['-c', `${before} exec sleep 30`], { env, stdio: 'ignore', detached: true });
  return { child, exited: once(child, 'exit'), name: nameOfChild(child.pid ?? 0) };
}

function started(...how: Parameters<typeof sleeper>) {
  const one = sleeper(...how);
  children.push(one);
  return one;
}

describe('what a command leaves behind', () => {
  it('is not what another one that still runs has started, however often one looks', async () => {
    const leftovers = new Leftovers('leftovers.shell');
    const since = leftovers.begin(ONE);
    leftovers.begin(OTHER);
    const { name } = started(ONE);
    expect(await leftovers.of(OTHER, NO_SHELL, since)).toEqual([]);
    expect(await leftovers.of(OTHER, NO_SHELL, since)).toEqual([]);
    expect(await leftovers.of(ONE, NO_SHELL, since)).toEqual([name]);
  });

  it('is found until it is gone, also after its command has ended and whoever looked before', async () => {
    const leftovers = new Leftovers('leftovers.shell');
    const since = leftovers.begin(ONE);
    leftovers.begin(OTHER);
    const { child, exited, name } = started(ONE);
    expect(await leftovers.of(OTHER, NO_SHELL, since)).toEqual([]);
    leftovers.end(ONE);
    expect(await leftovers.of(OTHER, NO_SHELL, since)).toEqual([]);
    expect(await leftovers.of(ONE, NO_SHELL, since)).toEqual([name]);
    child.kill('SIGKILL');
    await exited;
    expect(await leftovers.of(ONE, NO_SHELL, since)).toEqual([]);
  });

  it('is neither a shell that stands by nor who was there before', async () => {
    const earlier = started(ONE);
    const leftovers = new Leftovers('leftovers.shell');
    const since = leftovers.begin(ONE);
    const shell = started('leftovers.shell');
    expect(await leftovers.of(ONE, shell.name.pid, since)).toEqual([]);
    expect(await leftovers.of(ONE, NO_SHELL, { ...since, forks: undefined })).toEqual([earlier.name]);
  });

  it('is nobody who is dead and has not been buried', async () => {
    const leftovers = new Leftovers('leftovers.shell');
    const since = leftovers.begin(ONE);
    const { pid } = started(undefined, 'sleep 0 &').name;
    const statuses = () => descendantsOf(pid).map((one) => statOf(one.pid)?.status);
    // oxlint-disable-next-line no-await-in-loop -- until it is dead
    for (let round = 0; round < 400 && statuses()[0] !== 'Z'; round++) await pause(5);
    expect(statuses()).toEqual(['Z']);
    expect(await leftovers.of(ONE, pid, since)).toEqual([]);
  });
});

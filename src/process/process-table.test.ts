import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type Census,
  cookieIn,
  descendantsOf,
  environmentOf,
  inheritedCookies,
  isAlive,
  isFirstRound,
  nameOfChild,
  newcomersWithCookie,
  type ProcessName,
  processesOfRun,
  processesWithCookie,
  statOf,
  takeCensus,
} from './process-table.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-table-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Entry {
  readonly parent?: number;
  readonly status?: string;
  readonly environment?: string;
  /** Of each of its threads; a kernel may tell nothing of children. */
  readonly children?: readonly string[];
  readonly args?: string;
  /** It ended after its environment was read. */
  readonly isGone?: boolean;
}

let tables = 0;

/** A folder that looks like /proc, so that moments can be held that pass in a microsecond. */
function procWith(
  entries: Readonly<Record<number, Entry>>,
  stat = 'cpu 1 2\nold processes 7\nprocesses 5000\nbtime 1\n',
): string {
  const proc = join(folder, String(++tables));
  write(join(proc, 'stat'), stat);
  for (const other of ['7th', 'tty7']) write(join(proc, other), '');
  for (const [pid, entry] of Object.entries(entries)) {
    const { parent = 1, status = 'S', environment = '', args, children, isGone } = entry;
    const fields = [status, parent, pid, pid, ...Array(15).fill(0), `7${pid}`, 0];
    if (isGone !== true) write(join(proc, pid, 'stat'), `${pid} (x) ${fields.join(' ')}\n`);
    write(join(proc, pid, 'environ'), environment);
    if (args !== undefined) write(join(proc, pid, 'cmdline'), args);
    for (const [thread, text] of (children ?? []).entries())
      write(join(proc, pid, 'task', `${thread}`, 'children'), text);
  }
  return proc;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The system tells of processes in no order. */
const byPid = (names: readonly ProcessName[]) => [...names].sort((one, other) => one.pid - other.pid);
const named = (...pids: readonly number[]) => pids.map((pid) => ({ pid, startTime: `7${pid}` }));

describe('descendants', () => {
  it('are found below every thread, whole generations of them', () => {
    const proc = procWith({
      10: { children: ['11 12 ', '13 '] },
      11: { children: [''] },
      12: { children: ['14 '] },
      13: { children: [''] },
      14: { children: [''] },
      15: { children: [''] },
    });
    expect(byPid(descendantsOf(10, proc))).toEqual(named(11, 12, 13, 14));
  });

  it('that are gone before they are looked at are left out', () => {
    const proc = procWith({ 10: { children: ['11 12 '] }, 11: { isGone: true }, 12: { children: [''] } });
    expect(byPid(descendantsOf(10, proc))).toEqual(named(12));
  });

  it('that stand in two lists, or above themselves, are told once and do not hold the search up', () => {
    const proc = procWith({ 10: { children: ['11 ', '11 '] }, 11: { children: ['12 '] }, 12: { children: ['11 '] } });
    expect(byPid(descendantsOf(10, proc))).toEqual(named(11, 12));
  });

  it('are found by their parents where the kernel keeps no lists', () => {
    const proc = procWith({ 10: {}, 11: { parent: 10 }, 12: { parent: 11 }, 13: { parent: 1 }, 14: { isGone: true } });
    expect(byPid(descendantsOf(10, proc))).toEqual(named(11, 12));
  });

  it('of a process that is gone are none, whoever names it as a parent', () => {
    expect(descendantsOf(10, procWith({ 11: { parent: 10 } }))).toEqual([]);
  });
});

describe('a process', () => {
  it('is not another one that has its pid, nor a dead one that has not been buried', () => {
    const own = nameOfChild(process.pid);
    expect(isAlive(own)).toBe(true);
    expect(isAlive({ ...own, startTime: `${own.startTime}0` })).toBe(false);
    expect(isAlive({ pid: 2 ** 30, startTime: own.startTime })).toBe(false);
  });

  it('that has just been started has a name, also where there is no /proc', () => {
    expect(nameOfChild(7, procWith({ 7: {} }))).toEqual({ pid: 7, startTime: '77' });
    expect(nameOfChild(7, join(folder, 'no-proc'))).toEqual({ pid: 7, startTime: '0' });
  });
});

describe('a census', () => {
  it('counts processes and forks, and nothing where there is no /proc', () => {
    expect(takeCensus(procWith({ 7: {}, 8: {} }))).toEqual({ pids: new Set([7, 8]), forks: 5000 });
    expect(takeCensus(procWith({ 7: {} }, 'cpu 1 2\n'))).toEqual({ pids: new Set([7]), forks: undefined });
    expect(takeCensus(join(folder, 'no-proc'))).toEqual({ pids: new Set(), forks: undefined });
  });

  it.each<[number | undefined, number | undefined, boolean]>([
    [1000, 1000, true],
    [1000, 17_383, true],
    [1000, 17_384, false],
    [undefined, 1000, false],
    [1000, undefined, false],
  ])('with %s forks leaves no pid to be used again until %s: %s', (earlier, later, expected) => {
    expect(isFirstRound({ forks: earlier }, { forks: later })).toBe(expected);
  });
});

describe('a cookie', () => {
  const mine = { environment: 'A=1\0PAWL_COOKIE=run.1.1\0B=2\0' };
  const proc = procWith({
    7: mine,
    8: { environment: 'PAWL_COOKIE=run.1.10\0' },
    9: { ...mine, status: 'Z' },
    10: { ...mine, isGone: true },
    11: {},
    12: mine,
    [process.pid]: mine,
  });

  it('leads to the living that have it, to none that has a longer one, and not to this process', () => {
    expect(byPid(processesWithCookie('run.1.1', undefined, proc))).toEqual(named(7, 12));
    expect(byPid(processesOfRun('run', proc))).toEqual(named(7, 8, 12));
    expect(processesOfRun('ru', proc)).toEqual([]);
  });

  it('is looked for only in those who came since a census, unless pids may have come round', () => {
    const since = (forks: number | undefined): Census => ({ pids: new Set([7, 8]), forks });
    expect(processesWithCookie('run.1.1', since(4000), proc)).toEqual(named(12));
    expect(byPid(processesWithCookie('run.1.1', since(-20_000), proc))).toEqual(named(7, 12));
    expect(byPid(processesWithCookie('run.1.1', since(undefined), proc))).toEqual(named(7, 12));
  });

  it('is found in a real process, and not when it has ended', async () => {
    const before = takeCensus();
    const cookie = `table${process.pid}.1.1`;
    const child = spawn('sleep', ['30'], { env: { ...process.env, PAWL_COOKIE: cookie }, stdio: 'ignore' });
    const name = nameOfChild(child.pid ?? 0);
    expect(processesWithCookie(cookie, before)).toEqual([name]);
    expect(processesWithCookie(cookie, takeCensus())).toEqual([]);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    expect(processesWithCookie(cookie)).toEqual([]);
    expect(statOf(name.pid)?.startTime).not.toBe(name.startTime);
  });

  it('is found in a process that becomes another program over and over, whenever one looks', async () => {
    const script = join(mkdtempSync(join(tmpdir(), 'pawl-again-')), 'again');
    writeFileSync(script, '#!/bin/sh\nexec "$0"\n', { mode: 0o755 });
    const cookie = `again${process.pid}.1.1`;
    const before = takeCensus();
    const child = spawn(script, { env: { PAWL_COOKIE: cookie, PATH: process.env['PATH'] }, stdio: 'ignore' });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const now = takeCensus();
    const found = Array.from({ length: 3000 }, () => newcomersWithCookie(cookie, before, () => now).length);
    child.kill('SIGKILL');
    await exited;
    rmSync(dirname(script), { recursive: true });
    expect(found.filter((count) => count !== 1)).toEqual([]);
  });

  it('is found in the child of one that ended between the look and the question', () => {
    const proc = procWith({ 8: { environment: 'PAWL_COOKIE=run.1.1\0' } });
    const since: Census = { pids: new Set(), forks: 1 };
    const looks = [new Set([7]), new Set([8])];
    const look = (): Census => ({ pids: looks.shift() ?? new Set(), forks: 3 });
    expect(newcomersWithCookie('run.1.1', since, look, proc)).toEqual(named(8));
  });

  it('is found in the child of one that ended in between, and that nobody has waited for', () => {
    const proc = procWith({ 7: { status: 'Z' }, 8: { environment: 'PAWL_COOKIE=run.1.1\0' } });
    const looks = [new Set([7]), new Set([7, 8])];
    const look = (): Census => ({ pids: looks.shift() ?? new Set(), forks: 3 });
    expect(newcomersWithCookie('run.1.1', { pids: new Set(), forks: 1 }, look, proc)).toEqual(named(8));
  });

  it('is not looked for a third time because of one that was dead before', () => {
    let looks = 0;
    const look = (): Census => ({ pids: new Set([++looks > 0 ? 7 : 0]), forks: 3 });
    const proc = procWith({ 7: { status: 'Z' } });
    expect(newcomersWithCookie('run.1.1', { pids: new Set(), forks: 1 }, look, proc)).toEqual([]);
    expect(looks).toBe(2);
  });

  it('is not looked for without end where somebody ends all the time', () => {
    let looks = 0;
    const look = (): Census => ({ pids: new Set([++looks + 100]), forks: 3 });
    expect(newcomersWithCookie('run.1.1', { pids: new Set(), forks: 1 }, look, procWith({}))).toEqual([]);
    expect(looks).toBe(3);
  });

  it('is not waited for without end where there is none: between two programs, in a dead one, without an environment', () => {
    const proc = procWith({ 5: { args: '' }, 6: { args: '', status: 'Z' }, 7: { args: 'env\0-i\0' }, 8: {} });
    expect([5, 6, 7, 8, 9].map((pid) => environmentOf(pid, proc).length)).toEqual([0, 0, 0, 0, 0]);
  });

  it.each([
    ['PAWL_COOKIE=a.1.1\0B=2\0', 'a.1.1'],
    ['A=1\0PAWL_COOKIE=a.1.1', 'a.1.1'],
    ['A=1\0PAWL_COOKIE=\0', ''],
    ['A=1\0', undefined],
    ['', undefined],
  ])('is read from %j', (environment, expected) => {
    expect(cookieIn(Buffer.from(environment))).toBe(expected);
  });
});

describe('inherited cookies', () => {
  const cookie = (name: string) => `PAWL_COOKIE=${name}\0`;

  it('are those of this process and of all above it, the nearest first, each once', () => {
    const proc = procWith({
      [process.ppid]: { parent: 50, environment: cookie('own') },
      50: { parent: 51, environment: cookie('near') },
      51: { parent: 52, environment: cookie('') },
      52: { parent: 53 },
      53: { parent: 1, environment: cookie('far') },
      1: { parent: 0, environment: cookie('system') },
    });
    expect(inheritedCookies({ PAWL_COOKIE: 'own' }, proc)).toEqual(['own', 'near', 'far']);
    expect(inheritedCookies({ PAWL_COOKIE: '' }, proc)).toEqual(['own', 'near', 'far']);
  });

  it('are only its own where nothing is told of its parents', () => {
    expect(inheritedCookies({ PAWL_COOKIE: 'own' }, join(folder, 'no-proc'))).toEqual(['own']);
    expect(inheritedCookies({}, join(folder, 'no-proc'))).toEqual([]);
  });

  it('come to an end where processes stand above themselves', () => {
    const proc = procWith({ [process.ppid]: { parent: process.ppid, environment: cookie('ring') } });
    expect(inheritedCookies({}, proc)).toEqual(['ring']);
  });
});

import { describe, expect, it } from 'vitest';
import { hasExited, parseProcStat } from './proc-stat.js';

describe('/proc/PID/stat', () => {
  it('is read behind a name with spaces and brackets', () => {
    const stat = parseProcStat('7 (a) b (c) S 1 8 9 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 2 3\n');
    const numbers = { parentPid: 1, groupId: 8, sessionId: 9, startTime: '4711' };
    expect(stat).toEqual({ status: 'S', ...numbers, isKernelThread: false, environmentBytes: 0 });
  });

  it('tells what is part of the system from what was started', () => {
    const stat = parseProcStat('18 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0\n');
    expect(stat).toMatchObject({ parentPid: 2, isKernelThread: true });
  });

  it('that is cut short is not guessed at', () => {
    expect(parseProcStat('')).toBeUndefined();
    expect(parseProcStat('7 (a) S 1')).toBeUndefined();
  });

  it('tells the dead from the living', () => {
    const ids = { parentPid: 1, groupId: 1, sessionId: 1 };
    const of = (status: string) => ({ status, ...ids, isKernelThread: false, startTime: '1', environmentBytes: 0 });
    expect(['R', 'S', 'D', 'T', 'Z', 'X'].filter((status) => hasExited(of(status)))).toEqual(['Z', 'X']);
  });
});

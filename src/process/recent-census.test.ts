import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newCensus, newcomersWithCookie, recentCensus } from './process-table.js';

it('the look after one process serves for the next: whoever comes later is found by it', async () => {
  const cookie = `recent${process.pid}.1.1`;
  const looked = newCensus();
  const since = recentCensus();
  expect(since).toBe(looked);
  const child = spawn('sleep', ['30'], { env: { PATH: process.env['PATH'], PAWL_COOKIE: cookie } });
  await once(child, 'spawn');
  const now = newCensus();
  expect(newcomersWithCookie(cookie, since, () => now).map(({ pid }) => pid)).toEqual([child.pid]);
  expect(newcomersWithCookie(cookie, now, newCensus)).toEqual([]);
  child.kill('SIGKILL');
  await once(child, 'exit');
});

it('an old look is replaced by a new one', () => {
  const old = newCensus();
  const laterMs = performance.now() + 1100;
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(performance, 'now').mockReturnValue(laterMs);
  const fresh = recentCensus();
  expect(fresh).not.toBe(old);
  expect(fresh.pids).toContain(process.pid);
});

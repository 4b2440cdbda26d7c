import { loopStateOf, refusedIn } from '../model/phase.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { memoryJournal, type ScriptedStep, scriptedAgent } from '../testing/index.js';
import { LoopRunner } from './run-handle.js';
import { Rest, type RestEnd } from './intermission.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let workingDir: string;
beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'pawl-rest-'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(workingDir, { recursive: true, force: true });
});

describe('a wait for the reset of a provider', () => {
  it.each([
    ['a day ahead', DAY_MS],
    ['a day back', -DAY_MS],
    ['back to 1970', 10_000 - Date.now()],
  ])('neither ends early nor lasts longer when the clock jumps %s', async (_, jumpMs) => {
    const resetsAt = new Date(Date.now() + HOUR_MS).toISOString();
    const limited: ScriptedStep = {
      events: [{ kind: 'limit', limit: 'usage-limit', message: 'come back', resetsAt }],
      end: { exitCode: 1 },
    };
    const journal = memoryJournal();
    const agent = scriptedAgent([limited, {}]);
    const config: LoopConfig = {
      workingDir,
      prompt: 'go',
      iterationDelay: 0,
      trackFileChanges: false,
      maxIterations: 1,
    };
    const running = new LoopRunner(config, { journal, agent }).run();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(loopStateOf(journal.state)).toBe('waiting');
    vi.setSystemTime(Date.now() + jumpMs);
    await vi.advanceTimersByTimeAsync(HOUR_MS - 2 * MINUTE_MS);
    expect(loopStateOf(journal.state)).toBe('waiting');
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect(await running).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(journal.state.iterations).toBe(1);
    expect(refusedIn(journal.state.phase)).toBeUndefined();
    expect(journal.state.activeMs).toBeLessThan(HOUR_MS);
    expect(agent.tasks).toHaveLength(2);
  });

  it('goes on while the machine sleeps', async () => {
    let asleepMs = 0;
    let how: RestEnd | undefined;
    const upMs = () => performance.now() + asleepMs;
    void new Rest().outlast(HOUR_MS, upMs).then((end) => (how = end));
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(how).toBeUndefined();
    asleepMs = HOUR_MS;
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(how).toBe('elapsed');
  });

  it('does not take a coarse clock for sleep', async () => {
    let coarseMs = 0;
    let how: RestEnd | undefined;
    const upMs = () => performance.now() + coarseMs;
    void new Rest().outlast(MINUTE_MS, upMs).then((end) => (how = end));
    coarseMs = 900;
    await vi.advanceTimersByTimeAsync(MINUTE_MS - 500);
    expect(how).toBeUndefined();
    await vi.advanceTimersByTimeAsync(500);
    expect(how).toBe('elapsed');
  });
});

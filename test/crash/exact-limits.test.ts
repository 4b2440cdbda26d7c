import { endOf, loopStateOf } from '../../src/model/phase.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import type { Agent } from '../../src/iteration/agent.js';
import { reduceAll } from '../../src/model/reduce.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { LoopRunner } from '../../src/run/run-handle.js';
import { type CrashPoint, crashingJournal, memoryJournal, scriptedAgent } from '../../src/testing/index.js';
import { FULL } from '../support/full-form.js';

const workingDir = mkdtempSync(join(tmpdir(), 'pawl-exact-'));
afterAll(() => rmSync(workingDir, { recursive: true, force: true }));

const COST_USD = 0.5;
const TOKENS = 100;

/** Each of them is used up by exactly so many iterations. */
const LIMITS: Readonly<Record<string, (count: number) => LoopConfig>> = {
  iterations: (count) => ({ maxIterations: count }),
  cost: (count) => ({ maxIterations: 5000, stop: { limits: [{ max_cost: count * COST_USD }], failure: [] } }),
  tokens: (count) => ({ maxIterations: 5000, stop: { limits: [{ max_tokens: count * TOKENS }], failure: [] } }),
};

function tellingAgent(): Agent {
  const spend = { inputTokens: TOKENS - 1, outputTokens: 1, costUsd: COST_USD };
  return scriptedAgent([{ events: [{ kind: 'usage', scope: 'request', spend }] }]);
}

/** One life of the runner's process. Every agent tells what it used in its only word. */
async function live(
  limit: LoopConfig,
  before: readonly RunEvent[],
  crash?: CrashPoint,
  agent: Agent = tellingAgent(),
): Promise<readonly RunEvent[]> {
  const inside = memoryJournal({ events: before });
  const journal = crash === undefined ? inside : crashingJournal(inside, crash);
  const config: LoopConfig = { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false, ...limit };
  await new LoopRunner(config, { journal, agent }).run();
  return inside.events;
}

const agentsIn = (events: readonly RunEvent[]) => events.filter(({ type }) => type === 'agent-spawned').length;
const isOver = (events: readonly RunEvent[]) => loopStateOf(reduceAll(events)) === 'stopped';

describe.each(Object.entries(LIMITS))('a limit on %s', (_, limitOf) => {
  it.each([1, 3, 7, ...(FULL ? [1000] : [])])(
    'of %i is reached exactly, without a crash',
    async (count) => {
      const events = await live(limitOf(count), []);
      expect(agentsIn(events)).toBe(count);
      expect(reduceAll(events)).toMatchObject({
        phase: { state: 'stopped', end: { class: 'limit' } },
        iterations: count,
      });
    },
    300_000,
  );

  it.each(FULL ? [1, 3, 7] : [1, 3])(
    'of %i is never passed, wherever the runner dies, once or twice',
    async (count) => {
      const limit = limitOf(count);
      const whole = await live(limit, []);
      for (const append of whole.keys()) {
        for (const when of ['before', 'after'] as const) {
          const first = await live(limit, [], { append: append + 1, when });
          const second = isOver(first) ? first : await live(limit, first, { append: 3, when });
          const last = isOver(second) ? second : await live(limit, second);
          expect(isOver(last)).toBe(true);
          expect(agentsIn(last)).toBeLessThanOrEqual(count);
          // Only what nobody could tell any more, before anything was known, ends it sooner.
          if (endOf(reduceAll(last))?.class === 'limit') expect(agentsIn(last)).toBe(count);
          else expect(reduceAll(last).spend.unknownIterations).toBeGreaterThan(0);
        }
      }
    },
    300_000,
  );
});

describe('a limit on time', () => {
  const PIECE_MS = 15_000;
  const PIECES = 2;
  const limitMs = (count: number) => count * PIECES * PIECE_MS;
  const limitOf = (count: number): LoopConfig => ({
    maxIterations: 5000,
    stop: { limits: [{ max_duration: `${limitMs(count)}ms` }], failure: [] },
  });

  /** What has really passed while agents were at work. */
  let passedMs = 0;
  beforeEach(() => {
    passedMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => passedMs);
  });
  afterEach(() => void vi.restoreAllMocks());

  /** Takes its time in pieces, and says something after each. */
  const slowAgent: Agent = {
    name: 'slow',
    usage: 'live',
    canResume: false,
    tellsResult: false,
    async run(_task, listener, signal) {
      listener.onSpawn({ pid: process.pid, startTime: '0' });
      for (let piece = 0; piece < PIECES && !signal.aborted; piece += 1) {
        passedMs += PIECE_MS;
        listener.onEvent({ kind: 'usage', scope: 'request', spend: { inputTokens: 1, costUsd: 0 } });
        // oxlint-disable-next-line no-await-in-loop -- the runner may have something to say
        await new Promise(setImmediate);
      }
      return { cause: signal.aborted ? 'aborted' : 'exit', exitCode: 0, stragglers: 0, survivors: 0 };
    },
  };

  it.each([1, 3, 7, ...(FULL ? [1000] : [])])(
    'of %i iterations is reached exactly, without a crash',
    async (count) => {
      const events = await live(limitOf(count), [], undefined, slowAgent);
      expect(reduceAll(events)).toMatchObject({ activeMs: limitMs(count), phase: { end: { class: 'limit' } } });
      expect({ agents: agentsIn(events), passedMs }).toEqual({ agents: count, passedMs: limitMs(count) });
    },
    300_000,
  );

  it.each(FULL ? [1, 3, 7] : [2])(
    'of %i iterations goes on where it was, wherever the runner dies, once or twice: no more is lost than was not recorded',
    async (count) => {
      const limit = limitOf(count);
      const whole = await live(limit, [], undefined, slowAgent);
      for (const append of whole.keys()) {
        for (const when of ['before', 'after'] as const) {
          passedMs = 0;
          const first = await live(limit, [], { append: append + 1, when }, slowAgent);
          const second = isOver(first) ? first : await live(limit, first, { append: 6, when }, slowAgent);
          const last = isOver(second) ? second : await live(limit, second, undefined, slowAgent);
          expect(reduceAll(last)).toMatchObject({ activeMs: limitMs(count), phase: { end: { class: 'limit' } } });
          const activeMs = last.map((event) => event.activeMs);
          expect(activeMs).toEqual(activeMs.toSorted((a, b) => a - b));
          const deaths = Number(first !== last) + Number(second !== last);
          expect(passedMs).toBeGreaterThanOrEqual(limitMs(count));
          expect(passedMs).toBeLessThanOrEqual(limitMs(count) + deaths * PIECE_MS);
        }
      }
    },
    300_000,
  );
});

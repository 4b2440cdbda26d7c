import { endOf, loopStateOf, openIteration } from '../../src/model/phase.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import { canonicalJson } from '../../src/model/json.js';
import { reduceAll } from '../../src/model/reduce.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { isUnstarted } from '../../src/model/work.js';
import { LoopRunner } from '../../src/run/run-handle.js';
import {
  type CrashPoint,
  crashingJournal,
  memoryJournal,
  type ScriptedStep,
  scriptedAgent,
} from '../../src/testing/index.js';
import { FULL } from '../support/full-form.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-crash-run-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ITERATIONS = 4;
const CONFIG: LoopConfig = {
  workingDir: folder,
  prompt: 'go',
  iterationDelay: 0,
  trackFileChanges: false,
  maxIterations: ITERATIONS,
  stop: { failure: [{ consecutive_failures: 3 }], limits: [{ max_cost: 5 }] },
};

const step = (iteration: number): ScriptedStep => ({
  events: [
    { kind: 'session', id: `s${iteration}` },
    { kind: 'text', text: `working on ${iteration}` },
    {
      kind: 'usage',
      scope: 'request',
      id: `r${iteration}`,
      model: 'claude-sonnet-4-5',
      spend: { inputTokens: 1000, outputTokens: 100 },
    },
  ],
  end: { exitCode: iteration % 2 === 0 ? 1 : 0 },
});

/** One life of the runner's process: up to its end, or to the crash. Gives what a restart finds. */
async function live(before: readonly RunEvent[], crash?: CrashPoint): Promise<readonly RunEvent[]> {
  const inside = memoryJournal({ events: before });
  const journal = crash === undefined ? inside : crashingJournal(inside, crash);
  const done = inside.state.iterations + (openIteration(inside.state)?.pid === undefined ? 0 : 1);
  const agent = scriptedAgent([1, 2, 3, 4].slice(Math.min(done, 3)).map(step));
  await new LoopRunner(CONFIG, { journal, agent }).run();
  return inside.events;
}

const numbers = (events: readonly RunEvent[], type: 'iteration-started' | 'iteration-ended') =>
  events.flatMap((event) => (event.type === type ? [event.iteration] : []));
/** Those that count: one whose process died before its agent was started is tried again. */
const counted = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'iteration-ended' && !isUnstarted(event) ? [event.iteration] : []));

/** What must hold of every run, however often its process died. */
function check(events: readonly RunEvent[]): void {
  const state = reduceAll(events);
  expect(state.faults).toBeUndefined();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const all = Array.from({ length: ITERATIONS }, (_, index) => index + 1);
  expect([...new Set(numbers(events, 'iteration-started'))]).toEqual(all);
  expect(numbers(events, 'iteration-ended')).toEqual(numbers(events, 'iteration-started'));
  expect(counted(events)).toEqual(all);
  expect(events.filter((event) => event.type === 'run-ended')).toHaveLength(1);
  expect(events.filter((event) => event.type === 'run-started')).toHaveLength(1);
  expect(state).toMatchObject({ phase: { state: 'stopped', end: { class: 'limit' } }, iterations: ITERATIONS });
  const activeMs = events.map((event) => event.activeMs);
  expect(activeMs).toEqual([...activeMs].sort((a, b) => a - b));
  // Every iteration is charged once: by what it told, else by the dearest; before the first told nothing is known.
  const spawned = events.filter((event) => event.type === 'agent-spawned').length;
  const told = new Set(events.flatMap((event) => (event.type === 'usage-reported' ? [event.id] : []))).size;
  const estimated = state.spend.estimatedIterations + state.spend.unknownIterations;
  expect(told + estimated).toBe(spawned);
  const { costUsd } = totalSpend(state.spend);
  if (state.spend.unknownIterations === 0) expect(costUsd).toBeCloseTo(0.0045 * spawned);
}

describe('a run whose process dies at an append', async () => {
  const whole = await live([]);
  const points = [...whole.keys()].flatMap((index): CrashPoint[] => [
    { append: index + 1, when: 'before' },
    { append: index + 1, when: 'after' },
  ]);

  it('ends the same without a crash', () => check(whole));

  it('goes on from there: nothing lost, nothing twice, at every append', async () => {
    for (const point of points) {
      const kept = await live([], point);
      const ended = loopStateOf(reduceAll(kept)) === 'stopped';
      const events = ended ? kept : await live(kept);
      expect(canonicalJson(events.slice(0, kept.length)), JSON.stringify(point)).toBe(canonicalJson(kept));
      checkUnlessBlocked(events);
    }
  });

  it('dies again while it recovers, and goes on all the same', async () => {
    const firsts = FULL ? points : points.filter((_, index) => index % 5 === 2);
    for (const first of firsts) {
      const kept = await live([], first);
      if (loopStateOf(reduceAll(kept)) === 'stopped') continue;
      for (let append = 1; append <= (FULL ? 20 : 6); append++) {
        const again = await live(kept, { append, when: append % 2 === 0 ? 'before' : 'after' });
        const ended = loopStateOf(reduceAll(again)) === 'stopped';
        checkUnlessBlocked(ended ? again : await live(again));
      }
    }
  }, 600_000);
});

/** Before any iteration told what it used, a crash leaves the spend unknown, and a budget then blocks the run. */
function checkUnlessBlocked(events: readonly RunEvent[]): void {
  const state = reduceAll(events);
  if (endOf(state)?.class !== 'blocked') return check(events);
  expect(state.spend.unknownIterations).toBe(1);
  expect(state.iterations).toBe(1);
  return undefined;
}

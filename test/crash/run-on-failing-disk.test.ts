import { loopStateOf } from '../../src/model/phase.js';
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import type { FileJournal } from '../../src/journal/file-journal.js';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import { PawlError } from '../../src/model/errors.js';
import { reduceAll } from '../../src/model/reduce.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { isUnstarted } from '../../src/model/work.js';
import { LoopRunner, type RunResult } from '../../src/run/run-handle.js';
import { type ScriptedAgent, scriptedAgent } from '../../src/testing/index.js';
import { ALL, FULL } from '../support/full-form.js';
import { FAULTS, type FaultPlan, type FaultyDisk, faultyDisk } from './faulty-disk.js';
import { DEAD_PROCESS, eventsIn, type ScratchRun, scratchRun } from './scratch-run.js';

const KILLED_ITERATIONS = 5;
/** Later iterations make the same calls again. */
const FAULTY_ITERATIONS = 2;
const COST_USD = 0.25;

let scratch: ScratchRun | undefined;
afterEach(() => scratch?.dispose());

const config = ({ workingDir }: ScratchRun, maxIterations: number): LoopConfig => ({
  workingDir,
  prompt: 'go',
  iterationDelay: 0,
  trackFileChanges: false,
  maxIterations,
});

/** Tells its usage as its last word, under an id that no other iteration has. */
function spendingAgent(life: number): ScriptedAgent {
  const steps = Array.from({ length: KILLED_ITERATIONS }, (_, index) => ({
    events: [
      { kind: 'text', text: 'working' },
      { kind: 'usage', scope: 'request', id: `${life}-${index}`, spend: { inputTokens: 10, costUsd: COST_USD } },
    ] as const,
  }));
  return scriptedAgent(steps);
}

interface Life {
  readonly result: RunResult | undefined;
  readonly error: unknown;
  /** How often an agent was started. */
  readonly agents: number;
  /** What was published. */
  readonly heard: readonly RunEvent[];
}

/** One life of a runner on this journal: to the end of the run, or as far as the disk lets it. */
async function live(run: ScratchRun, iterations: number, open: () => FileJournal): Promise<Life> {
  const agent = spendingAgent(existsSync(run.path) ? 2 : 1);
  const heard: RunEvent[] = [];
  let journal: FileJournal | undefined;
  try {
    journal = open();
    journal.subscribe((event) => heard.push(event));
    const result = await new LoopRunner(config(run, iterations), { journal, agent }).run();
    return { result, error: undefined, agents: agent.tasks.length, heard };
  } catch (error) {
    return { result: undefined, error, agents: agent.tasks.length, heard };
  } finally {
    await journal?.close().catch(() => undefined);
  }
}

const counted = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'iteration-ended' && !isUnstarted(event) ? [event.iteration] : []));

/** Fails or kills at call 1, 2, 3... until a run comes through; the quick form takes every few of them. */
async function sweep(
  plan: Omit<FaultPlan, 'call'>,
  step: number,
  round: (run: ScratchRun, faulty: FaultyDisk) => Promise<void>,
): Promise<number> {
  for (let call = 1; ; call += step) {
    const run = scratchRun();
    scratch = run;
    const faulty = faultyDisk({ ...plan, call });
    await round(run, faulty);
    run.dispose();
    if (!faulty.failed()) return call;
    expect(call).toBeLessThan(5000);
  }
}

/** The run goes on where it was: nothing lost that was published, nothing twice, no iteration too many. */
async function expectGoesOn(run: ScratchRun, iterations: number, first: Life): Promise<void> {
  const exists = existsSync(run.path);
  if (!exists) expect(first.agents).toBe(0);
  const finished = counted(first.heard);
  const found = exists ? await eventsIn(run.path).catch(() => undefined) : [];
  const isStopped = found !== undefined && loopStateOf(reduceAll(found)) === 'stopped';
  const second = isStopped ? undefined : await live(run, iterations, () => (exists ? run.open() : run.create()));
  if (second?.error !== undefined) expectUsedUp(second.error, reduceAll(found ?? []).iterations, iterations);
  else if (second !== undefined) expect(second.result).toMatchObject({ status: 'stopped' });
  const { torn } = await verifyJournal(run.path);
  expect(torn).toBeUndefined();
  const events = await eventsIn(run.path);
  expect(events.slice(0, first.heard.length)).toEqual(first.heard);
  expect(counted(events)).toEqual(Array.from({ length: iterations }, (_, index) => index + 1));
  expect(counted(events).slice(0, finished.length)).toEqual(finished);
  expect(first.agents + (second?.agents ?? 0)).toBeLessThanOrEqual(iterations + unrecordedAgents(first));
  expectCharged(events);
}

/** The run broke in its last iteration, which counts: there is nothing left to resume. */
function expectUsedUp(error: unknown, used: number, iterations: number): void {
  expect(used).toBe(iterations);
  expect(String(error)).toMatch(new RegExp(`${used} of ${iterations} iterations; .*--max-iterations`));
}

/** One that was started and whose start could not be recorded had no prompt: it does not count. */
function unrecordedAgents({ agents, heard }: Life): number {
  return agents - heard.filter(({ type }) => type === 'agent-spawned').length;
}

/** Every agent that is on record is charged once: by what it told, else like the dearest. */
function expectCharged(events: readonly RunEvent[]): void {
  const { spend } = reduceAll(events);
  const spawned = events.filter(({ type }) => type === 'agent-spawned').length;
  const told = events.filter(({ type }) => type === 'usage-reported').length;
  expect(told + spend.estimatedIterations + spend.unknownIterations).toBe(spawned);
  if (spend.unknownIterations === 0) expect(totalSpend(spend).costUsd).toBeCloseTo(COST_USD * spawned, 6);
}

describe('a run whose process dies at a disk call', () => {
  it('goes on from there: nothing lost, at most the one in flight again', async () => {
    const calls = await sweep({ errno: 'EIO', sticky: true }, FULL ? 1 : ALL ? 7 : 29, async (run, faulty) => {
      const open = () => run.create({ disk: faulty.disk, self: DEAD_PROCESS });
      const first = await live(run, KILLED_ITERATIONS, open);
      faulty.die();
      await expectGoesOn(run, KILLED_ITERATIONS, first);
    });
    expect(calls).toBeGreaterThan(100);
  }, 600_000);
});

const CASES = FAULTS.flatMap((errno) => [
  { errno, sticky: false },
  { errno, sticky: true },
]);

describe.each(FULL ? CASES : CASES.slice(0, 4))('$errno at every disk call of a run (for good: $sticky)', (plan) => {
  it('ends it with a reason or is got over, and it can be resumed', async () => {
    await sweep(plan, FULL ? 1 : ALL ? 11 : 43, async (run, faulty) => {
      const open = () => run.create({ disk: faulty.disk, self: DEAD_PROCESS });
      const first = await live(run, FAULTY_ITERATIONS, open);
      faulty.die();
      if (first.error !== undefined) expect(first.error).toBeInstanceOf(PawlError);
      else if (first.result?.status === 'error')
        expect(first.result.error).toMatch(/E[A-Z]+: injected|the disk is full/);
      else expect(first.result).toMatchObject({ status: 'stopped' });
      await expectGoesOn(run, FAULTY_ITERATIONS, first);
    });
  }, 600_000);
});

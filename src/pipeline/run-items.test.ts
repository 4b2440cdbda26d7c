import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../test/support/full-form.js';
import type { Journal } from '../journal/journal.js';
import { itemAt } from '../model/item-state.js';
import { reduceAll } from '../model/reduce.js';
import type { ItemStatus, RunEvent } from '../model/run-event.js';
import { endOf, loopStateOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { resolveConfig } from '../config/resolve-config.js';
import type { RunParts } from '../run/run-host.js';
import { crashingJournal } from '../testing/crashing-journal.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import type { Item } from './item.js';
import { PipelineHandle, type PipelineResult } from './pipeline-handle.js';
import type { PipelineParts } from './pipeline-parts.js';
import type { PipelinePlan } from './pipeline-plan.js';
import { statisticsOf } from './statistics.js';
import { haltingConditions, type StopConditions } from './stop-conditions.js';

type Outcome = 'approved' | 'rejected' | 'retry' | 'failed';

/** What each item's attempts come to, the last one again and again, and how many turns each takes. */
interface Script {
  readonly items: readonly { readonly outcomes: readonly Outcome[]; readonly turns: number }[];
  readonly concurrency: number;
  readonly maxAttempts: number;
  readonly breaker: number;
  readonly conditions: StopConditions;
}

const RUN_ID = 'pipe_01ARZ3NDEKTSV4RRFFQ69G5FAV';

function planOf({ items, concurrency, maxAttempts, breaker, conditions }: Script): PipelinePlan {
  const { spec } = resolveConfig({ agent: { name: 'command', command: 'true' }, trackFileChanges: false });
  return {
    spec: { ...spec, policy: { success: [], failure: haltingConditions(conditions, breaker), limits: [] } },
    pipeline: {
      manifest: 'pipeline.yaml',
      itemsHash: 'x',
      generate: { command: 'true', timeoutMs: 1000 },
      concurrency,
      retry: { maxAttempts, backoffMs: 0 },
    },
    items: items.map((_, index): Item => ({ id: `i${index}`, fields: { id: `i${index}` }, place: '' })),
  };
}

/** Runs a script over a journal; `made` learns which items were made, in order. */
function runScript(script: Script, journal: Journal, made: string[] = []): Promise<PipelineResult> {
  const plan = planOf(script);
  const run: RunParts = {
    runId: RUN_ID,
    spec: plan.spec,
    configHash: '',
    journal,
    agent: scriptedAgent([]),
    tree: undefined,
    guard: undefined,
    functions: {},
    redact: (text) => text,
    environment: {},
    now: Date.now,
  };
  const attempt: PipelineParts['attempt'] = async ({ index, attempt: number }) => {
    const { outcomes, turns } = script.items[index] ?? { outcomes: [], turns: 0 };
    made.push(`i${index}`);
    for (let turn = 0; turn < turns; turn++) {
      // oxlint-disable-next-line no-await-in-loop -- turns of the event loop, one after the other
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { outcome: outcomes[number - 1] ?? outcomes.at(-1) ?? 'approved', hash: 'h' };
  };
  const handle = new PipelineHandle({
    run: { runId: RUN_ID, recorded: journal.state, open: () => run, read: () => journal.read() },
    partsOf: () => ({
      run,
      plan,
      attempt,
      place: async () => 'placed',
      lost: async () => [],
      close: async () => undefined,
    }),
  });
  return handle.run();
}

const NEVER: StopConditions = { max_retry_rate: 1, max_reject_rate: 1, max_consecutive_fails: 1000, min_items: 1 };

const script = (bounds: { readonly concurrency?: number; readonly breaker?: boolean } = {}): fc.Arbitrary<Script> =>
  fc.record({
    items: fc.array(
      fc.record({
        outcomes: fc.array(fc.constantFrom<Outcome>('approved', 'approved', 'rejected', 'retry', 'failed'), {
          minLength: 1,
          maxLength: 3,
        }),
        turns: fc.nat({ max: 3 }),
      }),
      { minLength: 1, maxLength: 14 },
    ),
    concurrency: bounds.concurrency === undefined ? fc.constantFrom(1, 2, 3, 8) : fc.constant(bounds.concurrency),
    maxAttempts: fc.integer({ min: 1, max: 4 }),
    breaker: bounds.breaker === false ? fc.constant(1000) : fc.integer({ min: 3, max: 60 }),
    conditions: fc.record({
      max_retry_rate: fc.constantFrom(0.25, 0.5, 1),
      max_reject_rate: fc.constantFrom(0.3, 0.5, 1),
      max_consecutive_fails: fc.constantFrom(2, 3, 100),
      min_items: fc.constantFrom(1, 3),
    }),
  });

/** What halts a run, counted by hand from its events up to one of them; undefined when nothing does. */
function haltedBy(events: readonly RunEvent[], { breaker, conditions }: Script): string | undefined {
  const ended = events.filter((event) => event.type === 'item-ended');
  const attempts = events.filter((event) => event.type === 'attempt-ended').length;
  const bad = ended.filter(({ status }) => status !== 'approved').length;
  const row = ended.length - 1 - ended.findLastIndex(({ status }) => status === 'approved');
  const retried = ended.filter((event) => event.attempts > 1).length;
  const isCounted = ended.length >= conditions.min_items && ended.length > 0;
  if (attempts >= breaker) return 'circuit_breaker';
  if (row >= conditions.max_consecutive_fails) return 'consecutive_fails';
  if (isCounted && bad / ended.length > conditions.max_reject_rate) return 'reject_rate';
  return isCounted && retried / ended.length > conditions.max_retry_rate ? 'retry_rate' : undefined;
}

/** What is the same however often a run was interrupted. */
function essence(state: RunState) {
  const { pipeline } = state;
  const ended = endOf(state);
  const items = Array.from({ length: pipeline?.items ?? 0 }, (_, index) => {
    const item = itemAt(pipeline?.states, index);
    return { status: item?.status, attempts: item?.attempts.map(({ outcome }) => outcome) ?? [] };
  });
  const reasons = ended?.reasons.map(({ condition, path }) => condition?.type ?? path);
  return { status: loopStateOf(state), reasons, items, statistics: pipeline && statisticsOf(pipeline) };
}

function expectNothingTwice(events: readonly RunEvent[], items: number): void {
  const final = new Map<string, ItemStatus>();
  for (const event of events) {
    if (event.type === 'attempt-started') expect(final.get(event.item)).toBeUndefined();
    if (event.type === 'attempt-started') {
      const approved = events.some(
        (other) =>
          other.type === 'attempt-ended' &&
          other.item === event.item &&
          other.outcome === 'approved' &&
          other.seq < event.seq,
      );
      expect(approved).toBe(false);
    }
    if (event.type === 'item-ended') {
      expect(final.has(event.item)).toBe(false);
      final.set(event.item, event.status);
    }
  }
  const { pipeline } = reduceAll(events);
  const counted = (pipeline?.approved ?? 0) + (pipeline?.rejected ?? 0) + (pipeline?.failed ?? 0);
  expect(counted).toBe(final.size);
  expect(final.size).toBeLessThanOrEqual(items);
}

/** The runner of a record that ends then is not starting anything any more. */
const longAgo = () => Date.UTC(2020, 0);

describe('any order of completions', () => {
  it('[c20] halts right after what crossed a threshold, for the condition of highest priority', async () => {
    await fc.assert(
      fc.asyncProperty(script(), async (tried) => {
        const journal = memoryJournal();
        const { state } = await runScript(tried, journal);
        const { events } = journal;
        expectNothingTwice(events, tried.items.length);
        const crossed = events.findIndex(
          ({ type }, index) =>
            (type === 'item-ended' || type === 'attempt-ended') &&
            haltedBy(events.slice(0, index + 1), tried) !== undefined,
        );
        const allApproved = state.pipeline?.approved === tried.items.length;
        if (crossed < 0) {
          expect(loopStateOf(state)).toBe('completed');
          expect(endOf(state)?.class).toBe(allApproved ? 'goal' : 'failure');
          return;
        }
        const why = haltedBy(events.slice(0, crossed + 1), tried);
        const [verdict] = events.slice(crossed + 1);
        expect(verdict?.type).toBe('verdict-reached');
        expect(events.slice(crossed + 1).some(({ type }) => type === 'attempt-started')).toBe(false);
        if (allApproved) expect(state).toMatchObject({ phase: { state: 'completed', end: { class: 'goal' } } });
        else {
          expect(loopStateOf(state)).toBe('stopped');
          expect(endOf(state)?.reasons[0]?.condition?.type).toBe(why);
        }
      }),
      { numRuns: tries(100) },
    );
  });

  it('never makes more attempts than the breaker allows, at any concurrency', async () => {
    await fc.assert(
      fc.asyncProperty(script(), async (tried) => {
        const made: string[] = [];
        await runScript({ ...tried, conditions: NEVER }, memoryJournal(), made);
        expect(made.length).toBeLessThanOrEqual(tried.breaker);
      }),
      { numRuns: tries(60) },
    );
  });
});

describe('a crash at any event', () => {
  const crash = fc.record({ append: fc.integer({ min: 2, max: 60 }), when: fc.constantFrom('before', 'after') });

  it('[c23] and a resume come to the same as no crash, one item at a time', async () => {
    await fc.assert(
      fc.asyncProperty(script({ concurrency: 1, breaker: false }), crash, async (tried, point) => {
        const whole = await runScript(tried, memoryJournal());
        const inside = memoryJournal({ now: longAgo });
        await runScript(tried, crashingJournal(inside, point));
        const after = memoryJournal({ events: inside.events });
        if (!['completed', 'stopped'].includes(loopStateOf(after.state))) await runScript(tried, after);
        expect(essence(after.state)).toEqual(essence(whole.state));
        expectNothingTwice(after.events, tried.items.length);
      }),
      { numRuns: tries(50) },
    );
  });

  it('[c22] loses nothing, makes nothing twice and counts nothing twice, eight items at a time', async () => {
    await fc.assert(
      fc.asyncProperty(script({ concurrency: 8 }), crash, async (tried, point) => {
        const inside = memoryJournal({ now: longAgo });
        await runScript(tried, crashingJournal(inside, point));
        const after = memoryJournal({ events: inside.events });
        if (!['completed', 'stopped'].includes(loopStateOf(after.state))) await runScript(tried, after);
        expectNothingTwice(after.events, tried.items.length);
        const halt = after.events.findIndex((event) => event.type === 'verdict-reached' && event.verdict.stop);
        const since = halt < 0 ? [] : after.events.slice(halt);
        expect(since.some(({ type }) => type === 'attempt-started')).toBe(false);
        const { state } = after;
        const isHalted = loopStateOf(state) === 'stopped';
        const { items } = essence(state);
        if (!isHalted) expect(items.every(({ status }) => status !== undefined)).toBe(true);
        expect(items.every(({ status, attempts }) => status !== 'approved' || attempts.at(-1) === 'approved')).toBe(
          true,
        );
      }),
      { numRuns: tries(50) },
    );
  });
});

/** One append fails, as on a disk that was full for a moment: the run breaks, and its end is recorded all the same. */
function stumblingJournal(inside: Journal, failing: number): Journal {
  let appends = 0;
  const append: Journal['append'] = (event, activeMs) => {
    appends += 1;
    if (appends === failing) throw new Error('no space left');
    return inside.append(event, activeMs);
  };
  return Object.setPrototypeOf({ append }, inside) as Journal;
}

it('a record that breaks under attempts in flight forgets none of them: each is counted, and may have spent', async () => {
  const items = Array.from({ length: 8 }, () => ({ outcomes: ['approved'] as const, turns: 2 }));
  const tried: Script = { items, concurrency: 4, maxAttempts: 1, breaker: 1000, conditions: NEVER };
  const whole = memoryJournal();
  await runScript(tried, whole);
  for (let failing = 2; failing <= whole.events.length; failing++) {
    const inside = memoryJournal({ now: longAgo });
    expect(await runScript(tried, stumblingJournal(inside, failing))).toMatchObject({ status: 'error' });
    const after = memoryJournal({ events: inside.events });
    expect(await runScript(tried, after)).toMatchObject({ status: 'completed' });
    const started = after.events.filter(({ type }) => type === 'attempt-started').length;
    expect(after.events.filter(({ type }) => type === 'attempt-ended')).toHaveLength(started);
    expect(after.state.iterations, `append ${failing}`).toBe(started);
    expectNothingTwice(after.events, items.length);
  }
});

it('a generator that was just being started when the runner died is ended before its item is made again', async () => {
  const items = [{ outcomes: ['approved'] as const, turns: 2 }];
  const tried: Script = { items, concurrency: 1, maxAttempts: 1, breaker: 1000, conditions: NEVER };
  const inside = memoryJournal();
  await runScript(tried, inside);
  const started = inside.events.findIndex(({ type }) => type === 'attempt-started');
  const at = new Date().toISOString();
  const events = inside.events.slice(0, started + 1).map((event) => ({ ...event, at }));
  const child = spawn('sh', ['-c', `sleep 0.1; PAWL_COOKIE=${RUN_ID}.1.1 exec sleep 30`], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await runScript(tried, memoryJournal({ events }));
  child.kill('SIGTERM');
  expect((await exited)[1]).toBe('SIGKILL');
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StopCondition } from '../../src/model/condition.js';
import { CONDITION_CATALOG, isSharedLimit } from '../../src/model/condition-catalog.js';
import { canonicalJson } from '../../src/model/json.js';
import type { Policy } from '../../src/model/policy.js';
import { reduce } from '../../src/model/reduce.js';
import type { EventType, NewEvent, RunEvent } from '../../src/model/run-event.js';
import { openIteration } from '../../src/model/phase.js';
import { INITIAL_STATE } from '../../src/model/run-state.js';
import { backtest } from '../../src/replay/backtest.js';
import { replay } from '../../src/replay/replay.js';
import { evaluateLive, evaluateRun } from '../../src/stop/evaluate-policy.js';
import { factsOf } from '../../src/stop/facts.js';
import { journalPath } from '../corpus/journal-path.js';
import { LABELS } from '../corpus/labels.js';
import { tries } from '../support/full-form.js';
import { recordedRun } from '../support/recorded-run.js';
import { anyDraft, anyLeaf, anyPolicy } from './arbitraries.js';

const NAMES = Object.keys(LABELS);
const as = (recorded: Policy) => recorded;

function corpusRun(name: string): RunEvent[] {
  const lines = readFileSync(journalPath(name), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as RunEvent);
}

/** As a run records itself: after what ends something comes the verdict, judged on all that was recorded before. */
const JUDGED = new Set<EventType>(['baseline-observed', 'iteration-ended', 'attempt-ended', 'item-ended']);

function judged(drafts: readonly NewEvent[], policy: Policy): RunEvent[] {
  const events: RunEvent[] = [];
  let state = INITIAL_STATE;
  const add = (draft: NewEvent) => {
    const seq = events.length + 1;
    const at = new Date(Date.UTC(2026, 2, 1) + seq * 1000).toISOString();
    const event = { v: 1, ...draft, seq, at, activeMs: seq * 700 } as RunEvent;
    events.push(event);
    state = reduce(state, event);
  };
  const start = { runId: 'loop_1', kind: 'loop', agent: { name: 'x', usage: 'live' }, versions: {} } as const;
  add({ type: 'run-started', policy, ...start });
  for (const draft of drafts) {
    add(draft);
    if (JUDGED.has(draft.type)) {
      add({ type: 'verdict-reached', iteration: state.iterations, verdict: evaluateRun(state) });
    }
  }
  return events;
}

function expectOwnVerdicts(events: readonly RunEvent[]): void {
  const recorded = events.filter((event) => event.type === 'verdict-reached');
  const { verdicts } = replay(events);
  expect(verdicts.map(({ seq }) => seq)).toEqual(recorded.map(({ seq }) => seq));
  expect(verdicts.map(({ verdict }) => canonicalJson(verdict))).toEqual(
    recorded.map(({ verdict }) => canonicalJson(verdict)),
  );
  expect(verdicts.every(({ isSame }) => isSame)).toBe(true);
}

describe('a run replayed under its own policy', () => {
  it.each(NAMES)('gives its own verdicts, event by event, and its own end: %s', (name) => {
    const events = corpusRun(name);
    const { verdicts } = replay(events);
    expect(verdicts).not.toEqual([]);
    // The words are those of the version that recorded it.
    expect(verdicts.every(({ decidesSame }) => decidesSame)).toBe(true);
    const { stop, end, saved } = replay(events);
    expect(stop).toMatchObject({ class: end.class, asRecorded: true });
    expect(saved).toMatchObject({ iterations: 0, losesGoal: false });
    const reasons = events.findLast((event) => event.type === 'run-ended')?.reasons;
    expect(reasons?.map(({ path }) => path)).toEqual(stop?.reasons.map(({ path }) => path));
  });

  it('gives its own verdicts when anything happened in any order', () => {
    fc.assert(
      fc.property(anyPolicy, fc.array(anyDraft, { maxLength: 40 }), (policy, drafts) => {
        expectOwnVerdicts(judged(drafts, policy));
      }),
    );
  });

  it('does so also when the record is cut off at any event', () => {
    const events = recordedRun();
    for (let length = 1; length <= events.length; length += 1) expectOwnVerdicts(events.slice(0, length));
  });

  it('notices a verdict that its facts do not give', () => {
    const events = recordedRun();
    const forged = events.map((event) =>
      event.type === 'verdict-reached' && event.iteration === 3
        ? { ...event, verdict: { ...event.verdict, stop: true } }
        : event,
    );
    expect(
      replay(forged)
        .verdicts.filter(({ decidesSame }) => !decidesSame)
        .map(({ iteration }) => iteration),
    ).toEqual([3]);
  });

  it('knows a verdict that an older version has put in other words', () => {
    const worded = recordedRun().map((event) => {
      if (event.type !== 'verdict-reached') return event;
      const judgements = event.verdict.judgements.map((judgement) => ({
        ...judgement,
        sentence: 'as it was said then',
      }));
      return { ...event, verdict: { ...event.verdict, judgements } };
    });
    const { verdicts } = replay(worded);
    expect(verdicts.every(({ isSame, decidesSame }) => !isSame && decidesSame)).toBe(true);
  });
});

const LIVE = new Set<EventType>(['agent-said', 'usage-reported', 'context-reported', 'error-seen', 'tick']);
LIVE.add('permission-denied').add('agent-finished').add('command-received').add('day-spend-seen').add('claim-made');
const WORK = new Set<EventType>(['agent-said', 'tool-called', 'tool-answered', 'usage-reported', 'error-seen']);
WORK.add('permission-denied').add('message-recorded');

const NOT_JUDGED = new Set<EventType>(['iteration-started', 'limit-extended', 'run-resumed']);
const isOfTime = ({ type }: StopCondition) => type === 'max_duration' || type === 'deadline';

/** The first event at which an agent that goes on working would have been interrupted, judged at every live event. */
function firstInterrupt(events: readonly RunEvent[], policy: Policy): number | undefined {
  let state = INITIAL_STATE;
  for (const [index, event] of events.entries()) {
    state = reduce(state, event);
    if (openIteration(state) === undefined || NOT_JUDGED.has(event.type)) continue;
    const facts = factsOf(state);
    // Time is up after any event.
    const asked = LIVE.has(event.type) ? policy : { ...policy, limits: policy.limits.filter(isOfTime) };
    if (!evaluateLive(asked, facts).stop || evaluateLive(state.policy, facts).stop) continue;
    const next = events.slice(index + 1).find(({ type }) => type === 'iteration-ended' || WORK.has(type));
    if (next?.type !== 'iteration-ended') return event.seq;
  }
  return undefined;
}

describe('any policy on any record', () => {
  it('is judged alone as it is beside others', () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, fc.array(anyDraft, { maxLength: 40 }), (own, other, drafts) => {
        const events = judged(drafts, own);
        const candidates = [own, other, as].map((policy, index) => ({ name: String(index), policy }));
        const { runs } = backtest([{ name: 'x', events }], candidates);
        const together = runs.map(({ replays }) => replays[0]?.stop);
        expect(together).toEqual([own, other, as].map((policy) => replay(events, policy).stop));
      }),
      { numRuns: tries(60) },
    );
  });

  it('is interrupted where judging at every event would interrupt it, although most events are not judged', () => {
    fc.assert(
      fc.property(fc.array(anyLeaf, { maxLength: 4 }), fc.constantFrom(...NAMES), (leaves, name) => {
        // Patterns are looked for in the messages first.
        // What other runs spend is not recorded, which is no reason to stop here and is one to a run.
        const limits = leaves.filter((leaf) => leaf.type !== 'output_pattern' && !isSharedLimit(leaf));
        const policy: Policy = { success: [], failure: [], limits };
        const events = corpusRun(name);
        const within = replay(events, policy).stop;
        const first = firstInterrupt(events, policy);
        if (first === undefined) expect(within?.within).toBeUndefined();
        else expect(within?.seq).toBeLessThanOrEqual(first);
        if (within?.within !== undefined) expect(within.seq).toBe(first);
      }),
      { numRuns: tries(60) },
    );
  });

  it('never stops later, or saves less, when a condition is added to what stops it', () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, fc.constantFrom(...NAMES.slice(0, 20)), (own, other, name) => {
        // A guard that nobody has looked at holds goals back.
        const added = other.limits.filter(({ type }) => CONDITION_CATALOG[type].class !== 'veto');
        const more: Policy = { ...own, limits: [...own.limits, ...added], stopOnFirst: false };
        const less = replay(corpusRun(name), { ...own, stopOnFirst: false }).stop?.seq ?? Number.POSITIVE_INFINITY;
        expect(replay(corpusRun(name), more).stop?.seq ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(less);
      }),
      { numRuns: tries(40) },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { baseline, begin, type Draft, end, started, stateAfter, tests, trees } from '../../test/support/record.js';
import type { ClaimSource } from '../model/claim.js';
import type { Observation } from '../model/observation.js';
import { NEW_PIPELINE } from '../model/reduce-pipeline.js';
import { reportSpend } from '../model/report-spend.js';
import type { Interruption } from '../model/run-event.js';
import { type BatchSpend, type DaySpend, INITIAL_STATE, type RunState } from '../model/run-state.js';
import { EMPTY_ACCOUNT } from '../model/spend-account.js';
import { factsOf, noPriceText } from './facts.js';

const envelope = { v: 1, seq: 1, at: '2026-11-16T00:00:00.000Z', activeMs: 0 } as const;
const report = (spend: object) =>
  reportSpend(EMPTY_ACCOUNT, { ...envelope, type: 'usage-reported', scope: 'turn', model: 'm', spend });
const TOLD = report({ inputTokens: 10, outputTokens: 1, totalTokens: 11, costUsd: 2 });
const UNPRICED = report({ inputTokens: 10, outputTokens: 1, totalTokens: 11 });

function batchFacts(batch: Partial<BatchSpend> | undefined, spend: RunState['spend']) {
  const state = { ...INITIAL_STATE, spend, batch: batch && { batch: 'night', ...batch } };
  const { batchCostUsd, batchProblem } = factsOf(state);
  return batchCostUsd ?? batchProblem;
}

describe('that the agent says it is done', () => {
  const claim = (from?: ClaimSource): Draft => ({
    type: 'claim-made',
    claim: 'done',
    evidence: `${from}`,
    from,
    by: 'x',
  });
  const saysDone = (...claims: readonly Draft[]) =>
    factsOf(stateAfter(started(), begin(1), ...claims, end(1))).saysDone;

  it('has its source, and a report counts before plain words', () => {
    expect(saysDone()).toBeUndefined();
    expect(saysDone(claim('words'))).toEqual({ from: 'words', evidence: 'words' });
    expect(saysDone(claim('status-line'))?.from).toBe('status-line');
    expect(saysDone(claim(), claim('words'))?.from).toBe('tool');
    expect(saysDone(claim('tool'), claim('status-line'))?.from).toBe('status-line');
  });

  it('is of the last iteration alone', () => {
    expect(factsOf(stateAfter(started(), begin(1), claim('words'), end(1), begin(2), end(2))).saysDone).toBeUndefined();
  });
});

describe('what a batch has spent', () => {
  it.each<[string, Partial<BatchSpend> | undefined, RunState['spend'], number | RegExp]>([
    ['is that of the others and its own', { othersUsd: 3 }, TOLD, 5],
    ['is not known before it has been checked', undefined, TOLD, /has not been checked yet/],
    ['is not known while another run cannot tell', { problem: 'what X has spent is not known' }, TOLD, /what X has/],
    ['holds an estimate of what told nothing', { othersUsd: 3, dearestUsd: 4 }, { ...TOLD, unknownIterations: 2 }, 13],
    ['is not known when nothing can be estimated', { othersUsd: 3 }, { ...TOLD, unknownIterations: 2 }, /this run/],
    ['is not known where something has no price', { othersUsd: 3, dearestUsd: 4 }, UNPRICED, /this run/],
  ])('%s', (_case, batch, spend, expected) => {
    if (typeof expected === 'number') expect(batchFacts(batch, spend)).toBe(expected);
    else expect(batchFacts(batch, spend)).toMatch(expected);
  });
});

describe('what all runs of a day have spent', () => {
  const day = (seen: Partial<DaySpend> | undefined, spend: RunState['spend'], more: Partial<RunState> = {}) => {
    const state = { ...INITIAL_STATE, spend, day: seen && { day: '2026-11-16', ownBeforeUsd: 0, ...seen }, ...more };
    const { dayCostUsd, dayProblem } = factsOf(state);
    return dayCostUsd ?? dayProblem;
  };
  const UNTOLD = { ...EMPTY_ACCOUNT, unknownIterations: 1 };

  it('is that of the others and its own of that day', () => {
    expect(day({ othersUsd: 3 }, TOLD)).toBe(5);
    expect(day({ othersUsd: 3, ownBeforeUsd: 1.5 }, TOLD)).toBe(3.5);
    expect(day({ othersUsd: 0 }, EMPTY_ACCOUNT)).toBe(0);
  });

  it('is unknown, with the reason, where it was not checked, the others cannot be read, or its own is not known', () => {
    expect(day(undefined, TOLD)).toMatch(/other runs.*not been checked/);
    expect(day({ problem: 'the folder cannot be read' }, TOLD)).toBe('the folder cannot be read');
    expect(day({}, TOLD)).toMatch(/other runs have spent today is not known/);
    expect(day({ othersUsd: 3 }, UNPRICED)).toMatch(/this run has spent today is not known: no price is known for m$/);
    expect(day({ othersUsd: 3 }, UNTOLD)).toMatch(/this run.*not known: an iteration ended without/);
    expect(day({ othersUsd: 3 }, UNTOLD, { pipeline: NEW_PIPELINE })).toMatch(/: an attempt ended without/);
    expect(day({ othersUsd: 3, ownBeforeUsd: undefined }, TOLD)).toMatch(/this run has spent today is not known$/);
  });
});

describe('why spend is unknown', () => {
  const problem = (spend: RunState['spend']) => factsOf({ ...INITIAL_STATE, spend }).spendProblem;

  it('is nothing while tokens and cost are known', () => {
    expect(problem(TOLD)).toBeUndefined();
    expect(problem(EMPTY_ACCOUNT)).toBeUndefined();
  });

  it('names the models without a price, and a price list that is missing', () => {
    expect(problem(UNPRICED)).toEqual({ tokens: expect.stringMatching(/usage/), cost: expect.stringMatching(/ m$/) });
    expect(problem({ ...UNPRICED, priceListMissing: true })?.cost).toMatch(/genai-prices.* m$/);
    expect(noPriceText(['a', 'b'], undefined)).toMatch(/ a, b$/);
  });

  it('is that the agent did not report all, where tokens are missing', () => {
    const { tokens, cost } = problem(report({ costUsd: 2 })) ?? {};
    expect(tokens).toMatch(/usage/);
    expect(cost).toBe(tokens);
  });

  it('of a batch names what other runs spend, where that cannot be read or this run does not know its own', () => {
    expect(batchFacts({}, TOLD)).toMatch(/other runs of the batch/);
    expect(batchFacts({ othersUsd: 3 }, UNPRICED)).toMatch(/this run.*: no price is known for m$/);
    expect(batchFacts({ othersUsd: 3 }, { ...UNPRICED, unknownIterations: 1 })).toMatch(
      /this run.*: an iteration ended/,
    );
    expect(batchFacts({ othersUsd: 3, dearestUsd: 4 }, { ...UNPRICED, unknownIterations: 1 })).toMatch(/this run/);
  });
});

describe('what was heard of an agent', () => {
  const heard = (...drafts: readonly Draft[]) => {
    const { matches, claims, errors } = factsOf(stateAfter(started(), ...drafts));
    return [matches, claims, errors];
  };
  const failed: Draft = { type: 'error-seen', kind: 'auth', message: 'no', fingerprint: 'no' };
  const unstarted = end(1, { agentStarted: false });

  it('is known while it works and after it ran, and unknown before and where none was started', () => {
    expect(heard()).toEqual([undefined, undefined, undefined]);
    expect(heard(begin(1))).toEqual([{}, {}, []]);
    expect(heard(begin(1), end(1))).toEqual([{}, {}, []]);
    expect(heard(begin(1), unstarted)).toEqual([undefined, undefined, undefined]);
  });

  it('of one that was not started is its error alone', () => {
    const [matches, claims, errors] = heard(begin(1), failed, unstarted);
    expect([matches, claims]).toEqual([undefined, undefined]);
    expect(errors).toMatchObject([{ kind: 'auth' }]);
  });

  it('is always known in a pipeline, whose attempts run in any phase', () => {
    expect(factsOf({ ...INITIAL_STATE, pipeline: NEW_PIPELINE })).toMatchObject({
      matches: {},
      claims: {},
      errors: [],
    });
  });
});

describe('the facts of the last iteration', () => {
  const after = (more: Parameters<typeof end>[1]) => factsOf(stateAfter(started(), begin(1), end(1, more)));

  it('say that a limit or a failure cut it off, and not that an operator or a crash did', () => {
    const wasCutOff = (interruption?: Interruption) => after({ outcome: 'interrupted', interruption }).wasCutOff;
    expect([wasCutOff('limit'), wasCutOff('failure')]).toEqual([true, true]);
    expect([wasCutOff('operator'), wasCutOff('crash'), wasCutOff()]).toEqual([false, false, false]);
  });

  it('say whether the files, or how many tests run, differ from the start; unknown without a start', () => {
    const differs = (before: Observation, now: Observation) =>
      factsOf(stateAfter(started(), baseline(before), begin(1), end(1, { observation: now }))).differsFromStart;
    expect(differs({ tree: 'a' }, trees('a', 'b'))).toBe(true);
    expect(differs({ tree: 'a' }, trees('a', 'a'))).toBe(false);
    const there = [trees('a', 'b'), trees('b', 'c'), trees('c', 'a')].flatMap((observation, index) => [
      begin(index + 1),
      end(index + 1, { observation }),
    ]);
    expect(factsOf(stateAfter(started(), baseline({ tree: 'a' }), ...there)).differsFromStart).toBe(false);
    expect(differs({}, trees('a', 'b'))).toBeUndefined();
    expect(differs({ tree: 'a', tests: tests(2, 1) }, { ...trees('a', 'a'), tests: tests(4, 0) })).toBe(true);
    expect(differs({ tree: 'a', tests: tests(2, 1) }, { ...trees('a', 'a'), tests: tests(3, 0) })).toBe(false);
    expect(differs({ tree: 'a', tests: tests(2, 1) }, trees('a', 'a'))).toBe(false);
    expect(differs({ tree: 'a' }, { ...trees('a', 'a'), tests: tests(3, 0) })).toBe(false);
    const folder = { before: 'x', after: 'x' };
    expect(differs({ fingerprint: folder }, { fingerprint: folder })).toBe(false);
    expect(differs({ fingerprint: folder }, { fingerprint: { before: 'x', after: 'y' } })).toBe(true);
  });

  it('are not quiet before an iteration has ended', () => {
    expect(factsOf(stateAfter(started(), begin(1))).isQuiet).toBeUndefined();
    const finished = { ...trees('a', 'b'), closing: 'finished' } as const;
    expect(after({ observation: finished }).isQuiet).toBe(false);
  });

  it('are idle where the agent asked for nothing', () => {
    const still = (request: Observation['request']) => after({ observation: { ...trees('a', 'a'), request } }).isIdle;
    expect(still({ kind: 'none' })).toBe(true);
    expect(still({ kind: 'request', sentence: 'Which one?' })).toBe(false);
  });

  it('count as accepted only while no later iteration has ended', () => {
    const accepted = { iteration: 1, tests: tests(2, 0) };
    const state = stateAfter(started(), baseline({ tests: tests(5, 0) }), begin(1), end(1));
    expect(factsOf({ ...state, accepted })).toMatchObject({ isAccepted: true, baselineTests: { passed: 2 } });
    expect(factsOf({ ...state, accepted, iterations: 2 }).isAccepted).toBe(false);
    expect(factsOf(state)).toMatchObject({ isAccepted: false, baselineTests: { passed: 5 } });
  });
});

it('a run without recorded versions of rules is judged by version 1', () => {
  expect(factsOf({ ...INITIAL_STATE, rules: undefined }).rules).toEqual({});
  expect(factsOf({ ...INITIAL_STATE, rules: { settled: 2 } }).rules).toEqual({ settled: 2 });
});

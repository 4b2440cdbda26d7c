import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, started, stateAfter } from '../../test/support/record.js';
import type { ClaimSource } from '../model/claim.js';
import { type BatchSpend, INITIAL_STATE, type RunState } from '../model/run-state.js';
import { reportSpend } from '../model/report-spend.js';
import { EMPTY_ACCOUNT } from '../model/spend-account.js';
import { factsOf } from './facts.js';

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
    ['is not known before anybody has looked', undefined, TOLD, /nobody has looked/],
    ['is not known while another run cannot tell', { problem: 'what X has spent is not known' }, TOLD, /what X has/],
    ['holds an estimate of what told nothing', { othersUsd: 3, dearestUsd: 4 }, { ...TOLD, unknownIterations: 2 }, 13],
    ['is not known when nothing can be estimated', { othersUsd: 3 }, { ...TOLD, unknownIterations: 2 }, /this run/],
    ['is not known where something has no price', { othersUsd: 3, dearestUsd: 4 }, UNPRICED, /this run/],
  ])('%s', (_case, batch, spend, expected) => {
    if (typeof expected === 'number') expect(batchFacts(batch, spend)).toBe(expected);
    else expect(batchFacts(batch, spend)).toMatch(expected);
  });
});

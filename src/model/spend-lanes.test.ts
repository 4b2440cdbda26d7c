import { describe, expect, it } from 'vitest';
import { type Draft, started, stateAfter } from '../../test/support/record.js';
import { totalSpend } from './spend-account.js';

const begin = started({}, { kind: 'pipeline', items: 9 });
const opened = (index: number): Draft => ({ type: 'attempt-started', item: `i${index}`, index, attempt: 1 });
const used = (index: number, costUsd: number, scope: 'request' | 'turn' = 'request'): Draft => ({
  type: 'usage-reported',
  index,
  scope,
  model: 'm',
  spend: { costUsd, inputTokens: 1, outputTokens: 1, totalTokens: 2 },
});
const ended = (index: number, agentStarted = true): Draft => ({
  type: 'attempt-ended',
  item: `i${index}`,
  index,
  attempt: 1,
  outcome: 'approved',
  agentStarted,
  durationMs: 1,
});
const costOf = (...drafts: readonly Draft[]) => totalSpend(stateAfter(begin, ...drafts).spend).costUsd;

const audited = (draft: Draft): Draft => ({ ...draft, audit: true }) as Draft;

describe('the audit of an attempt', () => {
  it('has books of its own: its turn does not cover what the generator spent', () => {
    expect(costOf(opened(0), used(0, 2), audited(used(0, 1, 'turn')))).toBe(3);
    expect(costOf(opened(0), used(0, 2), audited(used(0, 1, 'turn')), ended(0))).toBe(3);
  });

  it('that tells what it spent does not hide that the generator did not', () => {
    expect(costOf(opened(0), audited(used(0, 1)), ended(0))).toBeUndefined();
  });

  it('that spent what it did not tell is charged like the dearest, or makes the sum unknown', () => {
    const untold = (index: number, agentStarted = true): Draft =>
      ({ ...ended(index, agentStarted), auditSpendUnknown: true }) as Draft;
    expect(costOf(opened(0), used(0, 2), untold(0))).toBe(4);
    expect(costOf(opened(0), used(0, 2), audited(used(0, 1)), untold(0))).toBe(5);
    expect(costOf(opened(0), untold(0, false))).toBeUndefined();
  });
});

describe('attempts that run side by side', () => {
  it('a turn of one covers its own requests only', () => {
    expect(costOf(opened(0), opened(1), used(0, 1), used(1, 2), used(1, 2, 'turn'), used(0, 1, 'turn'))).toBe(3);
  });

  it('count while they are under way, and no more when they have ended', () => {
    expect(costOf(opened(0), opened(1), used(0, 1), used(1, 2))).toBe(3);
    expect(costOf(opened(0), opened(1), used(0, 1), ended(0), used(1, 2), ended(1))).toBe(3);
  });

  it('one that told nothing is charged like the dearest, whatever the others told meanwhile', () => {
    expect(costOf(opened(0), used(0, 2), ended(0), opened(1), opened(2), used(2, 0.5), ended(1), ended(2))).toBe(4.5);
  });

  it('one that told nothing before any other makes the sum unknown; one that was never started does not', () => {
    expect(costOf(opened(0), opened(1), used(1, 1), ended(0), ended(1))).toBeUndefined();
    expect(costOf(opened(0), opened(1), used(1, 1), ended(0, false), ended(1))).toBe(1);
  });
});

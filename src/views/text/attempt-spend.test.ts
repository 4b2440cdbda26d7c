import { describe, expect, it } from 'vitest';
import { type Draft, record, started, used } from '../../../test/support/record.js';
import { reduce, reduceAll } from '../../model/reduce.js';
import type { EventBodies, EventOf } from '../../model/run-event.js';
import { totalSpend } from '../../model/spend-account.js';
import { attemptSpend } from '../../words/attempt-text.js';

const COST = { inputTokens: 100, outputTokens: 10, costUsd: 0.1 };
const BEGUN: Draft = started({}, { runId: 'pipe_01M7FWJHRV2F6TETSMSBPX0NYW', kind: 'pipeline', items: 3 });
/** Another attempt is under way, and its books are open. */
const OTHER: readonly Draft[] = [
  { type: 'attempt-started', item: 'b', index: 1, attempt: 1 },
  used(COST, { index: 1 }),
];
const A = { item: 'a', index: 0, attempt: 1 } as const;

function spendOf(told: readonly Draft[], more: Partial<EventBodies['attempt-ended']> = {}) {
  const ended: Draft = { type: 'attempt-ended', ...A, outcome: 'approved', durationMs: 1, ...more };
  const events = record([BEGUN, { type: 'attempt-started', ...A }, ...OTHER, ...told, ended]);
  const before = reduceAll(events.slice(0, -1));
  const last = events.at(-1) as EventOf<'attempt-ended'>;
  return { own: attemptSpend(last, before), run: totalSpend(reduce(before, last).spend) };
}

describe('what an attempt is charged', () => {
  it('has what its audit told in it, and nothing of the attempts beside it', () => {
    const { own, run } = spendOf([used(COST, { index: 0 }), used(COST, { index: 0, audit: true })]);
    expect(own).toMatchObject({ isEstimated: false, isPartial: false });
    expect(own?.told.costUsd).toBeCloseTo(0.2);
    expect(run.costUsd).toBeCloseTo(0.3);
  });

  it('has what an audit that told nothing was charged in it, as the run counts it', () => {
    const { own, run } = spendOf([used(COST, { index: 0 })], { auditSpendUnknown: true });
    expect(own?.isEstimated).toBe(true);
    expect(own?.told.costUsd).toBeCloseTo(0.2);
    expect(run.costUsd).toBeCloseTo(0.3);
  });

  it('is at least what was told where there is nothing to estimate the rest by', () => {
    const { own } = spendOf([used(COST, { index: 0, audit: true })], { agentStarted: true });
    expect(own).toMatchObject({ isEstimated: false, isPartial: true });
    expect(own?.told.costUsd).toBeCloseTo(0.1);
  });

  it('is not known where nobody told anything', () => {
    expect(spendOf([]).own).toBeUndefined();
  });
});

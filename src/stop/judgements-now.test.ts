import { describe, expect, it } from 'vitest';
import { begin, type Draft, iteration, started, stateAfter, tests, used } from '../../test/support/record.js';
import { NEW_PIPELINE } from '../model/reduce-pipeline.js';
import { evaluateRun } from './evaluate-policy.js';
import { judgementsNow } from './judgements-now.js';

describe('how far a run is', () => {
  const limits = [{ type: 'max_cost', usd: 4 }] as const;
  const success = [{ type: 'all_tests_pass' }] as const;
  const before = [started({ limits, success }), ...iteration(1)];
  const verdict = evaluateRun(stateAfter(...before));

  it('is what limits count now, in an iteration and with a new limit, and not at the last verdict', () => {
    const spent = used({ inputTokens: 1, outputTokens: 1, totalTokens: 2, costUsd: 0.5 });
    const judged = [...before, { type: 'verdict-reached', iteration: 1, verdict } as const, begin(2), spent];
    const sentences = (...more: readonly Draft[]) =>
      judgementsNow(stateAfter(...judged, ...more)).map(({ sentence }) => sentence);
    expect(judgementsNow(stateAfter(...judged))[0]).toBe(stateAfter(...judged).verdict?.judgements[0]);
    const [goal, cost] = verdict.judgements.map(({ sentence }) => sentence);
    expect(sentences()).toEqual([goal, expect.stringMatching(/ of \$4\.00$/)]);
    expect(sentences()[1]).not.toBe(cost);
    const raised = { type: 'limit-extended', limit: { type: 'max_cost', usd: 9 }, by: 'me' } as const;
    expect(sentences(raised)[1]).toMatch(/ of \$9\.00$/);
  });

  const redNow = [
    ...before,
    { type: 'verdict-reached', iteration: 1, verdict } as const,
    ...iteration(2, { tests: tests(1, 1) }),
  ];

  it('is what goals rested on at the last verdict, and now where there was none', () => {
    expect(judgementsNow(stateAfter(...redNow))[0]?.sentence).toBe(verdict.judgements[0]?.sentence);
    const unjudged = judgementsNow(stateAfter(...before, ...iteration(2, { tests: tests(1, 1) })));
    expect(unjudged[0]?.sentence).toBe('1 of 2 tests fail');
  });

  it('is what counts now in a pipeline', () => {
    const state = { ...stateAfter(...redNow), pipeline: NEW_PIPELINE };
    expect(judgementsNow(state)[0]?.sentence).toBe('1 of 2 tests fail');
  });
});

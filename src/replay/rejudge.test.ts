import { describe, expect, it } from 'vitest';
import { begin, end, iteration, record, started, tests, used } from '../../test/support/record.js';
import { allTestsPass, holdsFor, maxCost, maxIterations, outputPattern } from '../stop/conditions.js';
import { rejudge } from './rejudge.js';

const none = { success: [], failure: [], limits: [] };
const run = record([
  started({ limits: [maxIterations(2)] }),
  ...iteration(1, { tests: tests(1, 1) }),
  {
    type: 'verdict-reached',
    iteration: 1,
    verdict: { stop: false, reasons: [], judgements: [], holds: { stale: { iterations: 9, upTo: 1 } } },
  },
  begin(2),
  { type: 'agent-said', text: 'I am DONE' },
  used({ inputTokens: 5, outputTokens: 5, costUsd: 1 }, { id: 'x' }),
  end(2, { observation: { tests: tests(2, 0) } }),
  ...iteration(3, { tests: tests(2, 0) }),
  { type: 'run-ended', state: 'stopped', class: 'limit', reasons: [] },
]);

describe('judging a recorded run anew', () => {
  it('stops where the policy would have stopped it', () => {
    const rejudged = rejudge(run, { ...none, success: [allTestsPass()] });
    expect(rejudged).toMatchObject({ live: false, verdict: { class: 'goal' }, state: { iterations: 2 } });
  });

  it('stops in the middle of an iteration where a live limit was crossed', () => {
    const rejudged = rejudge(run, { ...none, limits: [maxCost(1)] });
    expect(rejudged).toMatchObject({
      live: true,
      verdict: { class: 'limit' },
      state: { iterations: 1, open: { iteration: 2 } },
    });
  });

  it('finds patterns that nobody looked for when it ran', () => {
    expect(rejudge(run, { ...none, success: [outputPattern('DONE')] })).toMatchObject({
      live: false,
      state: { iterations: 2 },
    });
    expect(rejudge(run, { ...none, failure: [outputPattern('DONE')] })).toMatchObject({
      live: true,
      state: { iterations: 1 },
    });
    expect(rejudge(run, { ...none, success: [outputPattern('NEVER')] })).toBeUndefined();
  });

  it('counts what has held by its own verdicts, not by the recorded ones', () => {
    expect(rejudge(run, { ...none, success: [holdsFor(2, allTestsPass())] })).toMatchObject({
      state: { iterations: 3 },
    });
  });

  it('says when it would not have stopped at all', () => {
    expect(rejudge(run, { ...none, limits: [maxIterations(9)] })).toBeUndefined();
  });
});

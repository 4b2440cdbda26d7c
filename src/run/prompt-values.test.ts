import { describe, expect, it } from 'vitest';
import {
  baseline,
  begin,
  type Draft,
  end,
  iteration,
  started,
  stateAfter,
  tests,
  trees,
} from '../../test/support/record.js';
import type { Policy } from '../model/policy.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import { promptValues } from './prompt-values.js';

/** What the next prompt says, after the verdict on these events. */
function valuesAfter(policy: Partial<Policy>, drafts: readonly Draft[], next: number) {
  const state = stateAfter(started(policy), ...drafts);
  return promptValues({ ...state, verdict: evaluateRun(state) }, next);
}

const leftAfter = (policy: Partial<Policy>, drafts: readonly Draft[], next: number) =>
  valuesAfter(policy, drafts, next).left;

const FILE = { type: 'file_created', path: 'DONE.md' } as const;
const MISSING = {
  [JSON.stringify({ path: 'DONE.md', type: 'file_created' })]: { met: false, detail: 'DONE.md does not exist' },
};

describe('what is left', () => {
  it('is the iteration, and how far each limit is used up', () => {
    const limits = [
      { type: 'max_iterations', count: 25 },
      { type: 'max_cost', usd: 10 },
      { type: 'max_duration', duration: '4h' },
      { type: 'max_tokens', count: 1_000_000 },
    ] as const;
    const late = { ...end(3), activeMs: 2_400_000 };
    expect(leftAfter({ limits }, [...iteration(1), ...iteration(2), begin(3), late], 4)).toMatch(
      /^Iteration 4 of 25\. Used so far: ~\$0\.\d+ of \$10\.00.*, 40m of 4h active, ~\d+ of 1,000,000 tokens.*\.$/,
    );
  });

  it('is the time to a deadline', () => {
    const limits = [{ type: 'deadline', at: '2026-03-01T03:00:00.000Z' }] as const;
    expect(leftAfter({ limits }, iteration(1), 2)).toMatch(/^Iteration 2\. Time left: 2h 59m until 2026-03-01T03:00/);
  });

  it('leaves out what is not known, and has no number where there is no limit', () => {
    const silent = [begin(1), end(1), begin(2), end(2)];
    expect(leftAfter({ limits: [{ type: 'max_cost', usd: 10 }] }, silent, 3)).toBe('Iteration 3.');
  });

  it('takes the smallest of several limits of iterations', () => {
    const limits = [
      { type: 'max_iterations', count: 25 },
      { type: 'max_iterations', count: 7 },
    ] as const;
    expect(leftAfter({ limits }, [], 1)).toBe('Iteration 1 of 7.');
  });

  it('names the goals that are open before the first iteration, where the feedback does not', () => {
    const seen = baseline({ probes: MISSING });
    expect(leftAfter({ success: [FILE] }, [seen], 1)).toBe('Iteration 1. Not done yet: DONE.md does not exist.');
    const unseen = leftAfter({ success: [FILE] }, [baseline()], 1);
    expect(unseen).toBe('Iteration 1.');
  });

  it('says nothing that the feedback says: neither the tests nor the goals', () => {
    const success = [{ type: 'all_tests_pass' }, FILE] as const;
    const red = baseline({ tests: tests(3, 2) });
    const first = valuesAfter({ success: [{ type: 'all_tests_pass' }] }, [red], 1);
    expect(first.feedback).toContain('Tests: 2 of 5 fail.');
    expect(first.left).toBe('Iteration 1.');
    const later = valuesAfter(
      { success },
      [begin(1), end(1, { observation: { tests: tests(3, 2), probes: MISSING } })],
      2,
    );
    expect(later.feedback).toContain('Not done yet:\n- 2 of 5 tests fail\n- DONE.md does not exist');
    expect(later.left).toBe('Iteration 2.');
  });

  it('names a claim of being done without any change, and no other claim', () => {
    const success = [{ type: 'all', conditions: [{ type: 'all_tests_pass' }, { type: 'settled' }] }] as const;
    const green = tests(3, 0);
    const done: Draft = { type: 'claim-made', claim: 'done', evidence: 'it works', by: 'the agent' };
    const after = (files: ReturnType<typeof trees>, ...said: readonly Draft[]) =>
      valuesAfter(
        { success },
        [
          baseline({ tree: 'a', tests: green }),
          begin(1),
          ...said,
          end(1, { observation: { ...files, tests: green, closing: 'plain' } }),
        ],
        2,
      ).feedback;
    expect(after(trees('a', 'a'), done)).toContain(
      'Not done yet:\n- you said that the task is done, but you have changed nothing that counts since the start',
    );
    expect(after(trees('a', 'a'))).not.toContain('Not done yet');
    expect(after(trees('a', 'b'), done)).not.toContain('Not done yet');
  });

  it('names an open goal that is cut from a long feedback, but does not press an agent to say that it is done', () => {
    const checks = { lint: { passed: false, output: 'x'.repeat(50_000) } };
    const long = [begin(1), end(1, { observation: { checks, probes: MISSING } })];
    expect(leftAfter({ success: [FILE] }, long, 2)).toBe('Iteration 2. Not done yet: DONE.md does not exist.');
    expect(leftAfter({ success: [{ type: 'agent_reports_done' }] }, long, 2)).toBe('Iteration 2.');
  });
});

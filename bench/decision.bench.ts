import { record, started, tests, trees, type Draft, begin, used, end } from '../test/support/record.js';
import { conditionKey } from '../src/model/condition-key.js';
import { parseCondition } from '../src/model/parse-condition.js';
import type { Policy } from '../src/model/policy.js';
import { reduce, reduceAll } from '../src/model/reduce.js';
import { evaluateLive, evaluatePolicy } from '../src/stop/evaluate-policy.js';
import { factsOf } from '../src/stop/facts.js';
import { microseconds, report, times } from './measure.js';

/** 50 conditions of every kind, composites among them, with every fact recorded. */
const kinds: readonly unknown[] = [
  { max_iterations: 500 },
  { max_duration: '48h' },
  { deadline: '2027-01-01T00:00:00Z' },
  { max_tokens: 9_000_000 },
  { max_cost: 900 },
  { test_failure_streak: 300 },
  { no_progress: 50 },
  { oscillation: 9 },
  { consecutive_failures: 30 },
  { repeated_error: 9 },
  { on_error: 'nothing like this' },
  { permission_denied: 9 },
  { context_above: 99 },
  { diff_exceeds: { files: 900, lines: 90_000 } },
  { file_created: 'DONE.md' },
  { output_pattern: 'NEVER SAID' },
  { specific_tests_pass: ['one', 'two'] },
  { check_passes: 'lint' },
  { all: ['all_tests_pass', { not: { max_cost: 5 } }, { file_created: 'DONE.md' }] },
  { any: [{ max_tokens: 9_000_000 }, { for: { iterations: 3, condition: 'all_tests_pass' } }] },
];
const conditions = Array.from({ length: 50 }, (_, index) => parseCondition(kinds[index % kinds.length]));
const policy: Policy = {
  success: conditions.slice(38),
  failure: conditions.slice(20, 38),
  limits: conditions.slice(0, 20),
};

const observation = {
  ...trees('a', 'b'),
  tests: tests(40, 2, {
    details: [
      { name: 'one', status: 'passed' },
      { name: 'two', status: 'failed' },
    ],
  }),
  checks: { lint: { passed: false } },
  probes: { [conditionKey(parseCondition({ file_created: 'DONE.md' }))]: { met: false } },
};
const drafts: Draft[] = [started(policy), { type: 'context-reported', usedTokens: 50_000, windowTokens: 200_000 }];
for (let iteration = 1; iteration <= 60; iteration++) {
  drafts.push(
    begin(iteration),
    used({ inputTokens: 9000, outputTokens: 900, costUsd: 0.05 }, { id: `r${iteration}` }),
    end(iteration, { observation }),
  );
}
const events = record(drafts);
const state = reduceAll(events);
const verdict = evaluatePolicy(policy, factsOf(state));
if (verdict.stop || verdict.judgements.length !== 50) throw new Error('the bench does not measure what it says');

const decision = microseconds(() => evaluatePolicy(policy, factsOf(state)));
const live = microseconds(() => evaluateLive(policy, factsOf(state)));
const floor = microseconds(() => JSON.stringify(verdict));
const last = events.at(-1);
const folding = microseconds(() => last && reduce(state, last));

report('The decision', [
  {
    what: '50 conditions, all facts recorded',
    figure: `${decision.toFixed(1)} µs`,
    bound: '< 50 µs',
    holds: decision < 50,
  },
  {
    what: 'the live ones among them, at every live event',
    figure: `${live.toFixed(1)} µs`,
    bound: '<= 0.7 x the decision',
    holds: live <= decision * 0.7,
  },
  {
    what: 'against writing the verdict down (JSON.stringify)',
    figure: times(decision / floor),
    bound: '<= 6 x',
    holds: decision <= floor * 6,
  },
  { what: 'folding the end of an iteration', figure: `${folding.toFixed(1)} µs` },
]);

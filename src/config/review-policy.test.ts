import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { LoopConfig } from './loop-config.js';
import { resolveConfig } from './resolve-config.js';
import { reviewPolicy } from './review-policy.js';

function review(config: LoopConfig, now?: number): readonly string[] {
  const { spec, origins } = resolveConfig(config, { cwd: tmpdir() });
  return reviewPolicy(spec, { origins, now }).map(({ path, message }) => `${path}: ${message}`);
}

const NO_GOAL =
  'stop.success: no goal: the run can only give up, reach a limit or be stopped by you; set `tests`, or add a condition here';
const BELIEVED_TEXT =
  'this goal is not verified: only the agent says so; combine it with all_tests_pass or check_passes in `all`';
const BELIEVED_MIX =
  'this goal is not verified: what the agent says can meet it; add all_tests_pass with `tests`, or check_passes';
const BELIEVED_SILENCE =
  'this goal is not verified: that the agent did not say something proves nothing; combine it with all_tests_pass or check_passes in `all`';
const done = { output_pattern: 'DONE' };

describe('reviewPolicy', () => {
  it.each<[string, LoopConfig, string[]]>([
    ['tests that are run are a goal to rely on', { tests: 'npm test' }, []],
    ['nothing to reach', {}, [NO_GOAL]],
    ['the word of the agent', { stop: { success: [done] } }, [`stop.success[0]: ${BELIEVED_TEXT}`]],
    ['its report alone', { stop: { success: ['agent_reports_done'] } }, [`stop.success[0]: ${BELIEVED_TEXT}`]],
    [
      'its report with tests',
      { tests: 'x', stop: { success: [{ all: ['agent_reports_done', 'all_tests_pass'] }] } },
      [],
    ],
    [
      'that it reports nothing, which holds from the start',
      { stop: { success: [{ not: 'agent_reports_blocked' }] } },
      [`stop.success[0]: ${BELIEVED_SILENCE}`],
    ],
    [
      'that it does not report something while the tests fail',
      { tests: 'x', stop: { success: [{ not: { all: ['agent_reports_blocked', 'all_tests_pass'] } }] } },
      [`stop.success[0]: ${BELIEVED_SILENCE}`],
    ],
    [
      'that it reports nothing, with tests',
      { tests: 'x', stop: { success: [{ all: [{ not: 'agent_reports_blocked' }, 'all_tests_pass'] }] } },
      [],
    ],
    [
      'its report as a failure',
      { tests: 'x', stop: { failure: ['agent_reports_done', 'agent_reports_blocked'] } },
      ['stop.failure[0]: agent_reports_done here ends the run as failed; move it to success'],
    ],
    ['its word with tests', { tests: 'x', stop: { success: [{ all: [done, 'all_tests_pass'] }] } }, []],
    [
      'its word or tests',
      { tests: 'x', stop: { success: [{ any: [done, 'all_tests_pass'] }] } },
      [`stop.success[0]: ${BELIEVED_MIX}`],
    ],
    [
      'its word, often',
      { stop: { success: [{ for: { iterations: 2, condition: done } }] } },
      [`stop.success[0]: ${BELIEVED_MIX}`],
    ],
    [
      'tests that only the agent prints',
      { stop: { success: ['all_tests_pass'] } },
      [
        'stop.success[0]: this goal is not verified: test results are read from what the agent prints; set `tests` to run them',
      ],
    ],
    [
      'no tests and nothing parsed',
      { parseTests: false, stop: { success: ['all_tests_pass'], failure: [] } },
      [
        'stop.success[0]: all_tests_pass can never be met: no `tests` are configured and parse_tests is false; set `tests`',
      ],
    ],
    [
      'tests of which none can be counted',
      { tests: 'tsc --noEmit && eslint .', stop: { success: ['all_tests_pass'], failure: [] } },
      [
        'stop.success[0]: all_tests_pass can never be met: no test can be counted in "tsc --noEmit && eslint ."; `parse_tests: false` in the config lets the exit code decide',
      ],
    ],
    ['a linter and tests', { tests: 'tsc && ./test.sh', stop: { success: ['all_tests_pass'], failure: [] } }, []],
    [
      'a linter whose exit code decides',
      { tests: 'tsc', parseTests: false, stop: { success: ['all_tests_pass'], failure: [] } },
      [],
    ],
    [
      'names without parsing',
      { tests: 'x', parseTests: false, stop: { success: [{ specific_tests_pass: 'a' }] } },
      [
        'stop.success[0]: specific_tests_pass can never be met: parse_tests is false, so no test has a name; set it to true',
      ],
    ],
    [
      'files that nobody looks at',
      {
        tests: 'x',
        trackFileChanges: false,
        stop: {
          failure: [{ oscillation: 2 }, { all: [{ protected_path_changed: 'a' }] }, { diff_exceeds: { files: 1 } }],
        },
      },
      [
        'stop.failure[0]: oscillation can never be met: track_file_changes is false; set it to true',
        'stop.failure[1].conditions[0]: protected_path_changed can never be met: track_file_changes is false; set it to true',
        'stop.failure[2]: diff_exceeds can never be met: track_file_changes is false; set it to true',
      ],
    ],
    [
      'no limit',
      { tests: 'x', maxIterations: 0 },
      [
        'stop.limits: no limit: the run can use any amount of time and money; add max_iterations, max_cost or max_duration',
      ],
    ],
    [
      'never',
      {
        tests: 'x',
        stop: { limits: ['never', { all: ['never', { max_cost: 1 }] }, { any: ['never', { max_cost: 1 }] }] },
      },
      ['stop.limits[0]: this can never be met; remove it', 'stop.limits[1]: this can never be met; remove it'],
    ],
    [
      'a limit behind a lower one',
      {
        tests: 'x',
        stop: {
          limits: [
            { max_cost: 9 },
            { max_cost: 5 },
            { max_duration: '2h' },
            { max_duration: '90m' },
            { max_tokens: 3 },
            { max_tokens: 3 },
          ],
        },
      },
      [
        'stop.limits[0]: max_cost is never the first to be met: stop.limits[1] is as low or lower; remove one of them',
        'stop.limits[2]: max_duration is never the first to be met: stop.limits[3] is as low or lower; remove one of them',
        'stop.limits[5]: max_tokens is never the first to be met: stop.limits[4] is as low or lower; remove one of them',
      ],
    ],
    [
      'costs of different models do not compare',
      { tests: 'x', stop: { limits: [{ max_cost: 9 }, { max_cost: { usd: 5, model: 'm' } }] } },
      [],
    ],
    [
      'streaks longer than the run',
      {
        tests: 'x',
        maxIterations: 4,
        stop: {
          failure: [{ no_progress: 5 }, { consecutive_failures: 4 }],
          success: [{ for: { iterations: 6, condition: 'all_tests_pass' } }],
          atLeast: 5,
        },
      },
      [
        'stop.success[0]: for needs 6 iterations, and max_iterations ends the run after 4; lower the first or raise the second',
        'stop.failure[0]: no_progress needs 5 iterations, and max_iterations ends the run after 4; lower the first or raise the second',
        'stop.at_least: goals count only after 5 iterations, and max_iterations ends the run after 4; lower the first or raise the second',
      ],
    ],
    [
      'files that lie elsewhere',
      {
        tests: 'x',
        stop: {
          success: [
            { file_created: '../DONE' },
            { all: ['all_tests_pass', { file_contains: { path: '/elsewhere/x', content: 'y' } }] },
            { file_created: 'a/../DONE' },
            { file_created: 'a/../..' },
            { file_created: '..DONE' },
            { file_created: `${tmpdir()}/DONE` },
          ],
        },
      },
      [
        'stop.success[0]: file_created can never be met: "../DONE" is outside the working directory; name a file in it',
        'stop.success[1].conditions[1]: file_contains can never be met: "/elsewhere/x" is outside the working directory; name a file in it',
        'stop.success[3]: file_created can never be met: "a/../.." is outside the working directory; name a file in it',
      ],
    ],
    ['the defaults are not held against a short run', { tests: 'x', maxIterations: 1 }, []],
    [
      'context that the redline keeps low',
      { tests: 'x', stop: { limits: [{ context_above: 90 }] } },
      [
        'stop.limits[0]: context_above 90 can only be met within one iteration, because above the redline of 85 the next one starts afresh; lower it below the redline',
      ],
    ],
    [
      'context in fresh sessions',
      { tests: 'x', session: { mode: 'fresh' }, stop: { limits: [{ context_above: 90 }] } },
      [],
    ],
    [
      'context above all',
      { tests: 'x', stop: { limits: [{ context_above: 100 }] } },
      ['stop.limits[0]: context_above can never be met: the context window cannot be fuller than 100 %; lower it'],
    ],
    [
      'a limit as a goal',
      { stop: { success: [{ max_iterations: 3 }] } },
      [
        'stop.success[0]: max_iterations as a goal ends the run as a success without any verification; move it to limits',
      ],
    ],
    [
      'a goal as a limit',
      { tests: 'x', stop: { limits: ['all_tests_pass'] } },
      ['stop.limits[0]: all_tests_pass here ends the run as used up; move it to success'],
    ],
    [
      'a confirmed limit',
      { tests: 'x', stop: { limits: [{ max_cost: 1, confirm: 2 }] } },
      ['stop.limits[0].confirm: confirm has no effect here; only goals are confirmed'],
    ],
  ])('%s', (_name, config, warnings) => {
    expect(review(config)).toEqual(warnings);
  });

  it('judges a deadline by the time that it is given', () => {
    const config: LoopConfig = { tests: 'x', stop: { limits: [{ deadline: '2026-01-31T06:00:00Z' }] } };
    const at = Date.parse('2026-01-31T06:00:00Z');
    expect(review(config, at - 1)).toEqual([]);
    expect(review(config)).toEqual([]);
    expect(review(config, at)).toEqual([
      expect.stringMatching(/^stop\.limits\[0\]\.at: 2026-01-31T06:00:00Z .*passed.*later/),
    ]);
  });

  it('names the place when it is told the origins', () => {
    const { spec } = resolveConfig({ stop: { success: [done] } }, { cwd: tmpdir() });
    const origins = { 'stop.success[0]': { source: 'flag', place: '--until' } } as const;
    expect(reviewPolicy(spec, { origins })).toMatchObject([{ path: 'stop.success[0]', place: '--until' }]);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Flags } from './override-table.js';
import { loadConfig } from './load-config.js';
import { DEFAULT_FAILURE, DEFAULT_GOAL } from './default-policy.js';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'pawl-policy-'));
  mkdirSync(join(cwd, 'xdg/pawl'), { recursive: true });
  writeFileSync(join(cwd, 'done.sh'), '');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Sources {
  readonly user?: string;
  readonly project?: string;
  readonly env?: Record<string, string>;
  readonly flags?: Flags;
}

function load({ user = '', project = '', env = {}, flags = {} }: Sources) {
  writeFileSync(join(cwd, 'xdg/pawl/config.yaml'), user);
  writeFileSync(join(cwd, 'pawl.yaml'), project);
  return loadConfig({ cwd, env: { XDG_CONFIG_HOME: join(cwd, 'xdg'), ...env }, flags });
}

const iterations = (count: number) => ({ type: 'max_iterations', count });
const cost = (usd: number) => ({ type: 'max_cost', usd });

describe('a review', () => {
  it.each([
    ['before a goal counts', '', ['blocked']],
    ['of work that may be stuck', ', when: stuck', ['blocked', 'stuck']],
    ['every few iterations', ', every: 3', ['blocked', 'stuck']],
  ])('%s ends a run by what it is asked about', (_when, more, answers) => {
    const { spec } = load({ project: `review: { agent: claude${more} }` });
    const failure = spec.policy.failure.filter(({ type }) => type === 'review_says');
    expect(failure).toEqual(answers.map((answer) => ({ type: 'review_says', answer })));
  });
});

describe('limits', () => {
  it.each<[string, Sources, unknown[]]>([
    ['25 iterations are added to none', {}, [iterations(25)]],
    ['25 are added to other limits', { project: 'stop: { limits: [{ max_cost: 5 }] }' }, [cost(5), iterations(25)]],
    ['25 are added to an empty list', { project: 'stop: { limits: [] }' }, [iterations(25)]],
    ['a written one is enough', { project: 'stop: { limits: [{ max_iterations: 40 }] }' }, [iterations(40)]],
    ['one above all keys is the same', { project: 'max_iterations: 40' }, [iterations(40)]],
    [
      'both, equal, are one',
      { project: 'max_iterations: 4\nstop: { limits: [{ max_iterations: 4 }] }' },
      [iterations(4)],
    ],
    ['0 above all keys removes it', { project: 'max_iterations: 0' }, []],
    ['0 in the list removes it', { project: 'stop: { limits: [{ max_iterations: 0 }, { max_cost: 1 }] }' }, [cost(1)]],
    ['0 in full removes it', { project: 'stop: { limits: [{ type: max_iterations, count: 0 }] }' }, []],
    ['0 in a mapping removes it', { project: 'stop: { limits: [{ max_iterations: { count: 0 } }] }' }, []],
    ['0 as a flag removes what is configured', { project: 'max_iterations: 9', flags: { 'max-iterations': '0' } }, []],
    ['0 as an added limit too', { project: 'max_iterations: 9', flags: { limit: ['max_iterations: 0'] } }, []],
    ['0 as a variable too', { env: { PAWL_MAX_ITERATIONS: '0' } }, []],
    [
      '0 as the flag of any limit removes what is configured of its type',
      {
        project: 'stop: { limits: [{ max_cost: 5 }, { max_tokens: 9 }, { max_duration: 1h }, { max_iterations: 3 }] }',
        flags: { 'max-cost': '0', 'max-tokens': '0', 'max-duration': '0m' },
      },
      [iterations(3)],
    ],
    [
      '0 as the variable of any limit too',
      { project: 'stop: { limits: [{ max_cost: 5 }] }', env: { PAWL_MAX_COST: '0.00' } },
      [iterations(25)],
    ],
    [
      'a flag after a 0 sets one again',
      { project: 'max_iterations: 0', flags: { 'max-iterations': '08' } },
      [iterations(8)],
    ],
    [
      'a flag replaces all of its type',
      {
        project: 'stop: { limits: [{ max_cost: 1 }, { max_iterations: 3 }, { max_cost: 2 }] }',
        flags: { 'max-cost': '7.50' },
      },
      [iterations(3), cost(7.5)],
    ],
    [
      'a flag replaces a variable',
      { env: { PAWL_MAX_COST: '5' }, flags: { 'max-cost': '6' } },
      [cost(6), iterations(25)],
    ],
    [
      '--limit stands beside',
      { project: 'stop: { limits: [{ max_cost: 1 }] }', flags: { limit: ['max_cost: 2'] } },
      [cost(1), cost(2), iterations(25)],
    ],
    [
      '--limit with iterations keeps the default away',
      { flags: { limit: ['{"type":"max_iterations","count":40}'] } },
      [iterations(40)],
    ],
    [
      'the list of a stronger layer replaces the weaker',
      { user: 'stop: { limits: [{ max_cost: 1 }] }', project: 'stop: { limits: [{ max_tokens: 9 }] }' },
      [{ type: 'max_tokens', count: 9 }, iterations(25)],
    ],
    [
      'but the number of iterations is one setting',
      { user: 'max_iterations: 7', project: 'stop: { limits: [{ max_cost: 1 }] }' },
      [cost(1), iterations(7)],
    ],
    [
      'also when the weaker wrote it in its list',
      { user: 'stop: { limits: [{ max_iterations: 7 }] }', project: 'stop: { limits: [{ max_cost: 1 }] }' },
      [cost(1), iterations(7)],
    ],
    [
      'and the stronger wins',
      { user: 'stop: { limits: [{ max_iterations: 7 }] }', project: 'max_iterations: 9' },
      [iterations(9)],
    ],
    [
      'inside an any it bounds the run',
      { project: 'stop: { limits: [{ any: [{ max_iterations: 50 }, { max_cost: 5 }] }] }' },
      [{ type: 'any', conditions: [iterations(50), cost(5)] }],
    ],
    [
      'inside an all it does not',
      { project: 'stop: { limits: [{ all: [{ max_iterations: 50 }] }] }' },
      [{ type: 'all', conditions: [iterations(50)] }, iterations(25)],
    ],
    ['in the neutral list it is written', { project: 'stop: { conditions: [{ max_iterations: 50 }] }' }, []],
    [
      'a flag replaces it there too',
      { project: 'stop: { conditions: [{ max_iterations: 50 }, never] }', flags: { 'max-iterations': '5' } },
      [iterations(5)],
    ],
  ])('%s', (_name, sources, limits) => {
    expect(load(sources).spec.policy.limits).toEqual(limits);
  });

  it('a limit that a flag replaced is gone from the neutral list', () => {
    const project = 'stop: { conditions: [{ max_iterations: 50 }, never] }';
    expect(load({ project, flags: { 'max-iterations': '5' } }).spec.policy.conditions).toEqual([{ type: 'never' }]);
  });

  it('says who set each', () => {
    const { origins } = load({
      user: 'max_iterations: 7',
      project: 'stop: { limits: [{ max_cost: 1 }] }',
      env: { PAWL_MAX_TOKENS: '9' },
      flags: { limit: ['never'] },
    });
    expect([0, 1, 2, 3].map((index) => origins[`stop.limits[${index}]`])).toEqual([
      { source: 'project-file', place: 'pawl.yaml:1:18' },
      { source: 'user-file', place: 'xdg/pawl/config.yaml:1:17' },
      { source: 'environment', place: 'PAWL_MAX_TOKENS' },
      { source: 'flag', place: '--limit' },
    ]);
  });
});

describe('goals', () => {
  const tests = { type: 'all_tests_pass' };
  const done = { type: 'file_created', path: 'DONE.md' };
  it.each<[string, Sources, unknown[]]>([
    ['none without tests', {}, []],
    ['passing tests when there are tests', { project: 'tests: npm test' }, [DEFAULT_GOAL]],
    ['an empty list is a list', { project: 'tests: npm test\nstop: { success: [] }' }, []],
    [
      'a written goal stands alone',
      { project: 'tests: npm test\nstop: { success: [{ file_created: DONE.md }] }' },
      [done],
    ],
    [
      '--until stands beside the default',
      { project: 'tests: npm test', flags: { until: ['file_created: DONE.md'] } },
      [DEFAULT_GOAL, done],
    ],
    [
      '--until beside tests of a flag too',
      { flags: { tests: 'npm test', until: ['file_created: DONE.md'] } },
      [DEFAULT_GOAL, done],
    ],
    [
      '--until that asks more of the tests is not undercut by the default',
      { project: 'tests: npm test', flags: { until: ['all: [all_tests_pass, { file_created: DONE.md }]'] } },
      [{ type: 'all', conditions: [tests, done] }],
    ],
    [
      '--until stands beside an empty list',
      { project: 'tests: npm test\nstop: { success: [] }', flags: { until: ['file_created: DONE.md'] } },
      [done],
    ],
    [
      '--until stands beside what is written',
      { project: 'stop: { success: [all_tests_pass] }', flags: { until: ['file_created: DONE.md'] } },
      [tests, done],
    ],
    [
      'a goal in the neutral list keeps the default away',
      { project: 'tests: npm test\nstop: { conditions: [{ file_created: DONE.md }] }' },
      [],
    ],
    [
      'a limit in the neutral list does not',
      { project: 'tests: npm test\nstop: { conditions: [{ max_cost: 5 }] }' },
      [DEFAULT_GOAL],
    ],
    [
      'scripts are goals',
      { project: 'stop_conditions: { custom_scripts: [done.sh] }' },
      [{ type: 'custom_script', script: 'done.sh' }],
    ],
  ])('%s', (_name, sources, success) => {
    expect(load(sources).spec.policy.success).toEqual(success);
  });

  it('a stronger list of goals replaces weaker scripts', () => {
    const sources = { user: 'stop: { custom_scripts: [done.sh] }', project: 'stop: { success: [all_tests_pass] }' };
    expect(load(sources).spec.policy.success).toEqual([tests]);
  });

  it('the default says why it is there', () => {
    const { origins } = load({ flags: { tests: 'npm test' } });
    expect(origins['stop.success[0]']).toEqual({
      source: 'default',
      place: expect.stringMatching(/tests.*no goal/),
    });
  });
});

describe('failures', () => {
  const idle = (count: number) => ({ type: 'no_progress', iterations: count });
  const streak = (count: number) => ({ type: 'test_failure_streak', count });
  const failed = { type: 'consecutive_failures', count: 3 };
  const denied = { type: 'permission_denied', count: 6 };
  const more = DEFAULT_FAILURE.slice(4);
  const said = (pattern: string) => ({
    type: 'any',
    conditions: [
      { type: 'output_pattern', pattern },
      { type: 'on_error', pattern },
    ],
  });
  it.each<[string, Sources, unknown[]]>([
    ['the defaults', {}, [idle(5), streak(5), failed, denied, ...more]],
    ['a list replaces them', { project: 'stop: { failure: [{ no_progress: 9 }] }' }, [idle(9)]],
    ['an empty one too', { project: 'stop: { failure: [] }' }, []],
    [
      '--give-up stands beside them',
      { flags: { 'give-up': ['{ no_progress: 2 }'] } },
      [idle(5), streak(5), failed, denied, ...more, idle(2)],
    ],
    [
      'the maxima of spec 096 replace theirs',
      { project: 'stop_conditions: { max_test_failure_streak: 7, max_no_progress_iterations: 8 }' },
      [idle(8), streak(7), failed, denied, ...more],
    ],
    [
      '0 removes it',
      { project: 'stop: { max_test_failure_streak: 0, max_no_progress_iterations: 0 }' },
      [failed, denied, ...more],
    ],
    [
      'beside a list without that type they add',
      { project: 'stop: { failure: [{ no_progress: 9 }], max_test_failure_streak: 2 }' },
      [idle(9), streak(2)],
    ],
    [
      'a stronger list replaces a weaker maximum',
      { user: 'stop: { max_test_failure_streak: 2 }', project: 'stop: { failure: [{ no_progress: 9 }] }' },
      [idle(9)],
    ],
    [
      'a stronger maximum changes a weaker list',
      { user: 'stop: { failure: [{ no_progress: 9 }] }', project: 'stop: { max_no_progress_iterations: 2 }' },
      [idle(2)],
    ],
    [
      'a stronger list replaces weaker patterns',
      { user: 'stop: { stop_on_patterns: [quota] }', project: 'stop: { failure: [{ no_progress: 9 }] }' },
      [idle(9)],
    ],
    [
      'patterns are failures, said or in an error',
      { project: 'stop: { stop_on_patterns: [quota, "a b"] }' },
      [idle(5), streak(5), failed, denied, ...more, said('quota'), said('a b')],
    ],
  ])('%s', (_name, sources, failure) => {
    expect(load(sources).spec.policy.failure).toEqual(failure);
  });

  it('short forms keep the place where they were written', () => {
    const { origins } = load({
      project: 'stop_conditions:\n  max_no_progress_iterations: 8\n  stop_on_patterns: [quota]',
    });
    expect(origins['stop.failure[0]']).toEqual({ source: 'project-file', place: 'pawl.yaml:2:31' });
    expect(origins[`stop.failure[${DEFAULT_FAILURE.length}]`]).toEqual({
      source: 'project-file',
      place: 'pawl.yaml:3:22',
    });
  });
});

describe('spec 096 sessions', () => {
  it('are read under their own names', () => {
    const { spec, origins } = load({
      project: 'session: { claude_command: npx claude, session_timeout: 2h, persist_sessions: false }',
    });
    expect(spec.agent).toMatchObject({ name: 'claude', command: ['npx', 'claude'] });
    expect(spec.session).toMatchObject({ timeoutMs: 7_200_000, persist: false });
    expect(origins['session.timeout']).toEqual({ source: 'project-file', place: 'pawl.yaml:1:57' });
  });
});

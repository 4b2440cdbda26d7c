import fc from 'fast-check';
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
import { evaluateRun } from '../stop/evaluate-policy.js';
import { NEWEST_RULES } from './condition-catalog.js';
import type { Observation } from './observation.js';
import type { RuleVersions } from './judging/facts.js';
import { parseCondition } from './parse-condition.js';
import type { RunState } from './run-state.js';
import type { TestResults } from './test-results.js';

const POLICY = {
  success: [parseCondition('all_tests_pass')],
  failure: [
    { no_progress: 5 },
    { test_failure_streak: 5 },
    { oscillation: 3 },
    { false_done: 3 },
    { same_tool_failure: 5 },
  ].map((condition) => parseCondition(condition)),
};

/** The files of an iteration: a state of the tree, and digests of the lines that changed. */
interface Step {
  readonly tree: string;
  readonly lines?: readonly string[];
  readonly path?: string;
  readonly rewrites?: true | undefined;
  readonly tests?: TestResults | undefined;
  readonly more?: Observation;
  readonly says?: 'done' | undefined;
}

function play(steps: readonly Step[], start: Observation = { tree: 'start' }, rules = NEWEST_RULES): RunState {
  return stateAfter(...draftsOf(steps, start, rules));
}

function withoutGoal(steps: readonly Step[], rules: RuleVersions): RunState {
  return stateAfter(...draftsOf(steps, { tree: 'start' }, rules, { ...POLICY, success: [] }));
}

function draftsOf(
  steps: readonly Step[],
  start: Observation,
  rules: RuleVersions = NEWEST_RULES,
  policy = POLICY,
): readonly Draft[] {
  let before = 'start';
  const drafts = steps.flatMap((step, index): Draft[] => {
    const { tree, lines = [], path = 'src/a.ts', rewrites, says } = step;
    const files = trees(before, tree, {
      modified: before === tree ? [] : [path],
      kinds: before === tree ? {} : { [path.endsWith('.md') ? 'notes' : path.endsWith('lock') ? 'lock' : 'code']: 1 },
      ...(before === tree ? {} : { lines, rewrites }),
    });
    before = tree;
    const observation = { ...files, ...(step.tests === undefined ? {} : { tests: step.tests }), ...step.more };
    const claim: Draft = { type: 'claim-made', claim: 'done', evidence: 'it works', by: 'agent' };
    return [begin(index + 1), ...(says === undefined ? [] : [claim]), end(index + 1, { observation })];
  });
  return [started(policy, { rules }), baseline(start), ...drafts];
}

const reasonOf = (state: RunState) => evaluateRun(state).reasons[0]?.condition?.type;
const times = (count: number, make: (index: number) => Step) =>
  Array.from({ length: count }, (_, index) => make(index));
const red = (failed: number, more: Partial<TestResults> = {}) => tests(10 - failed, failed, more);

describe('progress is new content in files that count', () => {
  it.each([
    ['the same lines again and again', (index: number) => ({ tree: `t${index}`, lines: ['aaaa'] }), 6],
    ['only white space and dates', (index: number) => ({ tree: `t${index}`, lines: [] }), 5],
    ['only notes', (index: number) => ({ tree: `t${index}`, lines: [], path: 'NOTES.md' }), 5],
    ['only a lock file', (index: number) => ({ tree: `t${index}`, lines: [], path: 'yarn.lock' }), 5],
    ['nothing', () => ({ tree: 'start' }), 5],
  ])('a run that writes %s is given up', (_, step, after) => {
    expect(reasonOf(play(times(after - 1, step)))).toBeUndefined();
    expect(reasonOf(play(times(after, step)))).toBe('no_progress');
  });

  it.each([
    ['one new line at a time in one file', (index: number) => ({ tree: `t${index}`, lines: [`l${index}`] })],
    ['changes too large to compare', (index: number) => ({ tree: `t${index}`, more: trees('a', `t${index}`) })],
    ['new lines next to old ones', (index: number) => ({ tree: `t${index}`, lines: ['aaaa', `l${index}`] })],
    ['files outside of the folder', (index: number) => ({ tree: 'start', more: { outsideLines: [`l${index}`] } })],
    [
      'files under progress.also',
      (index: number) => ({ tree: 'start', more: { also: { before: `${index}`, after: `${index + 1}` } } }),
    ],
  ])('a run that writes %s is not', (_, step) => {
    expect(reasonOf(play(times(12, step)))).toBeUndefined();
  });

  it('is any new line outside of the folder, wherever it stands among those that were written before', () => {
    const outside = (index: number) => ({ tree: 'start', more: { outsideLines: ['a', `l${index}`, 'z'] } });
    expect(reasonOf(play(times(12, outside)))).toBeUndefined();
    expect(reasonOf(play(times(12, () => outside(1))))).toBe('no_progress');
  });

  it('is unknown without a view of the files, and unknown stops nothing', () => {
    const steps = times(12, () => ({ tree: 'start', more: { files: undefined } }));
    expect(reasonOf(play(steps))).toBeUndefined();
  });

  it('counts any change as before in a run that was started with version 1', () => {
    const drafts = times(6, (index) => ({ tree: `t${index}` })).flatMap((_, index) =>
      iteration(index + 1, trees(`t${index}`, `t${index + 1}`, { lines: ['aaaa'], kinds: { notes: 1 } })),
    );
    const old = stateAfter(started(POLICY, { rules: {} }), baseline({ tree: 't0' }), ...drafts);
    expect([old.streaks.withoutProgress, reasonOf(old)]).toEqual([0, undefined]);
  });
});

describe('tests that stay red', () => {
  const start = { tree: 'start', tests: red(5) };
  const story = (failing: readonly number[], lines: (index: number) => readonly string[]) =>
    reasonOf(
      play(
        failing.map((failed, index) => ({ tree: `t${index}`, lines: lines(index), tests: red(failed) })),
        start,
      ),
    );
  const fresh = (index: number) => [`l${index}`];
  const stale = () => ['aaaa'];

  it('end a run that writes nothing new after 5 iterations, and one that writes new code after 8', () => {
    expect(story([5, 5, 5, 5], stale)).toBeUndefined();
    expect(story([5, 5, 5, 5, 5, 5], stale)).toBeDefined();
    expect(story([5, 5, 5, 5, 5, 5, 5], fresh)).toBeUndefined();
    expect(story([5, 5, 5, 5, 5, 5, 5, 5], fresh)).toBe('test_failure_streak');
  });

  it('do not end one whose old interface is removed first', () => {
    expect(story([6, 7, 8, 8, 5, 3, 2, 1], fresh)).toBeUndefined();
  });

  it('do not end one whose tests get better from a setback, and end one that only goes up and down', () => {
    expect(story([9, 8, 7, 6, 5, 5, 4], fresh)).toBeUndefined();
    expect(story([6, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 5], fresh)).toBe('test_failure_streak');
  });

  it('that do not build yet have twice as long while the code grows', () => {
    const broken = { source: 'harness', exitCode: 2, details: [], output: 'cannot compile' } as const;
    const build = (count: number) =>
      play(
        times(count, (index) => ({ tree: `t${index}`, lines: [`l${index}`], tests: broken })),
        start,
      );
    expect(reasonOf(build(9))).toBeUndefined();
    expect(reasonOf(build(11))).toBe('test_failure_streak');
  });

  it('that fail differently each time have longer, but not for ever', () => {
    const failing = (index: number) =>
      red(5, { details: [{ name: `case ${'abcdefghijklmnopqrst'[index]}`, status: 'failed' }] });
    const steps = (count: number) =>
      times(count, (index) => ({ tree: `t${index}`, lines: [`l${index}`], tests: failing(index) }));
    expect(reasonOf(play(steps(10), start))).toBeUndefined();
    expect(reasonOf(play(steps(17), start))).toBe('test_failure_streak');
  });

  it('that can be counted again are a gain', () => {
    const broken = { source: 'harness', exitCode: 2, details: [], output: 'cannot compile' } as const;
    const state = play(
      [...times(4, () => ({ tree: 'start', tests: broken })), { tree: 'b', lines: ['x'], tests: red(9) }],
      start,
    );
    expect(state.streaks).toMatchObject({ testFailures: 0, redWeight: 0, withoutProgress: 0 });
  });
});

describe('other lines in place of its own', () => {
  const rewriting = (count: number, more: (index: number) => Partial<Step> = () => ({})) =>
    times(count, (index) => ({
      tree: `t${index}`,
      lines: [`l${index}`],
      ...(index === 0 ? {} : { rewrites: true as const }),
      ...more(index),
    }));

  it('end a run after eight iterations, unless it was started with version 2', () => {
    expect(reasonOf(play(rewriting(8)))).toBeUndefined();
    expect(evaluateRun(play(rewriting(9))).reasons[0]?.message).toBe(
      'no progress for 8 iterations: the agent only rewrote its own lines or measured again, and no test improved',
    );
    expect(reasonOf(play(rewriting(20), { tree: 'start' }, { ...NEWEST_RULES, no_progress: 2 }))).toBeUndefined();
  });

  it('do not end one that also writes something else, there or elsewhere, measures another result, or whose tests gain', () => {
    expect(reasonOf(play(rewriting(20, (index) => (index % 8 === 0 ? { rewrites: undefined } : {}))))).toBeUndefined();
    expect(reasonOf(play(rewriting(20, (index) => ({ more: { outsideLines: [`o${index}`] } }))))).toBeUndefined();
    const measured = (print: (index: number) => string) =>
      rewriting(20, (index) => ({ more: { commandResults: ['lint:ok', `bench:${print(index)}`] } }));
    expect(reasonOf(play(measured((index) => `${index}`)))).toBeUndefined();
    expect(reasonOf(play(measured((index) => `${index % 2}`)))).toBe('no_progress');
    const once = rewriting(20, (index) => ({ more: { commandResults: [`read-${index}:${index}`] } }));
    expect(reasonOf(play(once))).toBe('no_progress');
    const gaining = rewriting(9, (index) => ({ tests: red(9 - index) }));
    expect(reasonOf(play(gaining, { tree: 'start', tests: red(10) }))).toBeUndefined();
  });
});

describe('a command that prints another result', () => {
  const measuring = (count: number, print: (index: number) => string) =>
    times(count, (index) => ({ tree: 'start', more: { commandResults: [`train:${print(index)}`] } }));

  it('gives a run that changes nothing two iterations more, unless it was started with version 2', () => {
    expect(reasonOf(play(measuring(6, String)))).toBeUndefined();
    expect(reasonOf(play(measuring(7, String)))).toBe('no_progress');
    expect(reasonOf(play(measuring(5, String), { tree: 'start' }, { ...NEWEST_RULES, no_progress: 2 }))).toBe(
      'no_progress',
    );
  });

  it('does not where it prints the same, or another command is run', () => {
    expect(reasonOf(play(measuring(5, () => 'same')))).toBe('no_progress');
    const reading = times(5, (index) => ({ tree: 'start', more: { commandResults: [`look-${index}:${index}`] } }));
    expect(reasonOf(play(reading))).toBe('no_progress');
  });
});

describe('tests that passed before the work on them began', () => {
  const start = { tree: 'start', tests: tests(10, 0) };
  const rebuilding = (count: number, more: Partial<Step> = {}) =>
    times(count, (index) => ({ tree: `t${index}`, lines: [`l${index}`], tests: red(4), ...more }));
  const byVersion3 = { ...NEWEST_RULES, test_failure_streak: 3 };

  it('are waited for twice as long while the work grows, by version 3 only for 8 iterations', () => {
    expect(reasonOf(play(rebuilding(9), start))).toBeUndefined();
    expect(reasonOf(play(rebuilding(10), start))).toBe('test_failure_streak');
    expect(reasonOf(play(rebuilding(8), start, byVersion3))).toBe('test_failure_streak');
  });

  it('are not where they failed from the start, nothing grows, or the agent says that it is done', () => {
    expect(reasonOf(play(rebuilding(8), { tree: 'start', tests: red(4) }))).toBe('test_failure_streak');
    expect(play(rebuilding(6, { rewrites: true }), start).streaks).toMatchObject({ redWeight: 4 });
    expect(reasonOf(play(rebuilding(6, { lines: ['aaaa'] }), start))).toBeDefined();
    expect(reasonOf(play(rebuilding(5, { says: 'done' }), start))).toBe('test_failure_streak');
  });
});

describe('an agent that says over red tests that it is done', () => {
  const start = { tree: 'start', tests: red(3) };
  const claiming = (count: number, failing: (index: number) => number) =>
    times(count, (index) => ({
      tree: `t${index}`,
      lines: [`l${index}`],
      tests: red(failing(index)),
      says: 'done' as const,
    }));

  it('is given up after five iterations in which the tests did not move, by version 3 after eight', () => {
    expect(
      reasonOf(
        play(
          claiming(4, () => 3),
          start,
        ),
      ),
    ).toBeUndefined();
    expect(
      reasonOf(
        play(
          claiming(5, () => 3),
          start,
        ),
      ),
    ).toBe('test_failure_streak');
    const byVersion3 = { ...NEWEST_RULES, test_failure_streak: 3 };
    expect(
      reasonOf(
        play(
          claiming(7, () => 3),
          start,
          byVersion3,
        ),
      ),
    ).toBeUndefined();
  });

  it('is not while each iteration makes another test pass', () => {
    expect(
      reasonOf(
        play(
          claiming(9, (index) => 9 - index),
          { tree: 'start', tests: red(10) },
        ),
      ),
    ).toBeUndefined();
  });
});

describe('tests of which more fail after each iteration', () => {
  const worsening = (failing: readonly number[]) =>
    failing.map((failed, index) => ({ tree: `t${index}`, lines: [`l${index}`], tests: red(failed) }));
  const start = { tree: 'start', tests: red(1) };

  it('end a run that began with failing tests after five', () => {
    expect(reasonOf(play(worsening([2, 3, 4, 5]), start))).toBeUndefined();
    expect(reasonOf(play(worsening([2, 3, 4, 5, 6]), start))).toBe('test_failure_streak');
  });

  it('do not end one that turns, or one whose tests passed before', () => {
    expect(reasonOf(play(worsening([3, 5, 7, 6, 5, 4, 3, 1]), start))).toBeUndefined();
    expect(reasonOf(play(worsening([2, 3, 4, 5, 6, 7]), { tree: 'start', tests: tests(10, 0) }))).toBeUndefined();
  });
});

describe('work that returns to an earlier state', () => {
  const cycle = (trees: string, lines = '') =>
    Array.from(trees).map((tree, index) => ({ tree, lines: lines === 'new' ? [`l${index}`] : [`${tree}+`] }));

  it('is given up after three returns with nothing gained, in cycles of two and of three', () => {
    expect(reasonOf(play(cycle('ababa')))).toBe('oscillation');
    expect(reasonOf(play(cycle('abcabc')))).toBe('oscillation');
    expect(reasonOf(play(cycle('abab')))).toBeUndefined();
  });

  it('is not when red tests stay red through three experiments that are restored', () => {
    const steps = Array.from('babaca').map((tree, index) => ({
      tree: index % 2 === 1 ? 'start' : `${tree}${index}`,
      lines: index % 2 === 1 ? ['back'] : [`l${index}`],
      tests: red(5),
    }));
    expect(reasonOf(play(steps, { tree: 'start', tests: red(5) }))).toBeUndefined();
  });

  it('is not when each experiment is another one, or while the tests improve', () => {
    expect(reasonOf(play(cycle('abacadaeaf', 'new')))).toBeUndefined();
    const failing = [4, 5, 3, 4, 2, 3, 1, 2, 1];
    const steps = Array.from('badacadae').map((tree, index) => ({
      tree: `${tree}${failing[index]}`,
      lines: ['aaaa'],
      tests: red(failing[index] ?? 0),
    }));
    expect(reasonOf(play(steps, { tree: 'start', tests: red(5) }))).toBeUndefined();
  });
});

describe('an agent that insists that it is done', () => {
  it('is given up when it says so three times with nothing new since', () => {
    const claims = (count: number) =>
      times(count, () => ({ tree: 'a', lines: ['aaaa'], tests: red(2), says: 'done' as const }));
    expect(reasonOf(play(claims(2)))).toBeUndefined();
    expect(reasonOf(play(claims(3)))).toBe('false_done');
  });

  it('is not where there is no goal to verify it', () => {
    const claim: Draft = { type: 'claim-made', claim: 'done', evidence: 'it works', by: 'agent' };
    const drafts = [1, 2, 3, 4].flatMap((number) => [
      begin(number),
      claim,
      end(number, { observation: trees('a', 'a') }),
    ]);
    const state = stateAfter(started({ failure: [parseCondition({ false_done: 3 })] }), ...drafts);
    expect(reasonOf(state)).toBeUndefined();
  });

  it('is not where its changes are not known, unless the run was started with version 1', () => {
    const unseen: Step = { tree: 'start', says: 'done', more: { files: undefined } };
    expect(reasonOf(play([unseen, unseen, unseen]))).toBeUndefined();
    expect(reasonOf(play([unseen, unseen, unseen], { tree: 'start' }, {}))).toBe('false_done');
  });

  it('is not when it works after it was told, or says nothing in between', () => {
    const steps: Step[] = [
      { tree: 'a', lines: ['1'], tests: red(2), says: 'done' },
      { tree: 'b', lines: ['2'], tests: red(1), says: 'done' },
      { tree: 'b', tests: red(1) },
      { tree: 'b', tests: red(1), says: 'done' },
    ];
    expect(reasonOf(play(steps))).toBeUndefined();
  });
});

describe('the same failing tool call', () => {
  const failure = (digest: string) => ({ toolFailures: [{ digest, text: 'psql: connection refused' }] });

  it('in five iterations in a row ends a run that writes nothing new, and in ten one that does', () => {
    const steps = (count: number, line: (index: number) => string) =>
      times(count, (index) => ({ tree: `t${index}`, lines: [line(index)], more: failure('dead') }));
    const typesOf = (state: RunState) => evaluateRun(state).reasons.map(({ condition }) => condition?.type);
    const [stale, fresh] = [() => 'aaaa', (index: number) => `l${index}`];
    expect(typesOf(play(steps(5, stale)))).toEqual([]);
    expect(typesOf(play(steps(6, stale)))).toContain('same_tool_failure');
    expect(typesOf(play(steps(9, fresh)))).toEqual([]);
    expect(evaluateRun(play(steps(10, fresh))).reasons).toMatchObject([
      { condition: { type: 'same_tool_failure' }, message: expect.stringContaining('connection refused') },
    ]);
  });

  it('does not end one that writes something new while its tests pass, unless it was started with version 1', () => {
    const green = (count: number) =>
      times(count, (index) => ({
        tree: `t${index}`,
        lines: [`l${index}`],
        tests: tests(9, 0),
        more: failure('dead'),
      }));
    const reasonUnder = (rules: RuleVersions) => evaluateRun(withoutGoal(green(20), rules)).reasons[0]?.condition?.type;
    expect(reasonUnder(NEWEST_RULES)).toBeUndefined();
    expect(reasonUnder({ ...NEWEST_RULES, same_tool_failure: 1 })).toBe('same_tool_failure');
  });

  it('is counted for each of several that fail, and no longer after an iteration in which none is known to fail', () => {
    const failing = (digests: readonly string[]) => (index: number) => ({
      tree: `t${index}`,
      lines: [`l${index}`],
      more: { toolFailures: digests.map((digest) => ({ digest, text: digest })) },
    });
    const both = times(10, failing(['lint', 'import']));
    expect(play(both).streaks.toolFailures).toMatchObject({ lint: { count: 10 }, import: { count: 10 } });
    const broken = [
      ...both.slice(0, 9),
      { tree: 't9', lines: ['l9'] },
      ...times(9, (index) => failing(['import'])(index + 10)),
    ];
    expect(play(broken).streaks.toolFailures).toMatchObject({ import: { count: 9 } });
    expect(reasonOf(play(broken))).toBeUndefined();
    expect(reasonOf(play(both))).toBe('same_tool_failure');
  });

  it('does not when its outcome changes, or while the tests improve', () => {
    const moving = times(9, (index) => ({ tree: `t${index}`, lines: [`l${index}`], more: failure(`d${index % 4}`) }));
    expect(reasonOf(play(moving))).toBeUndefined();
    const improving = times(7, (index) => ({
      tree: `t${index}`,
      lines: [`l${index}`],
      tests: red(9 - index),
      more: failure('dead'),
    }));
    expect(reasonOf(play(improving, { tree: 'start', tests: red(10) }))).toBeUndefined();
  });
});

describe('any order of unrelated events', () => {
  const unrelated: Draft[] = [
    { type: 'tool-called', name: 'Read' },
    { type: 'agent-said', text: 'hello' },
    { type: 'context-reported', usedTokens: 1, windowTokens: 2 },
  ];
  const step = fc.record({
    tree: fc.constantFrom('a', 'b', 'c', 'd'),
    lines: fc.constantFrom([], ['x'], ['y'], ['z']),
    rewrites: fc.constantFrom(undefined, true as const),
    says: fc.constantFrom(undefined, 'done' as const),
    tests: fc.constantFrom(undefined, tests(10, 0), red(2), red(4), red(5)),
  });

  it('gives the same streaks', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.shuffledSubarray(unrelated), fc.nat(), (steps, events, at) => {
        const drafts = draftsOf(steps, { tree: 'start', tests: red(3) });
        // Not before the run has begun, nor between its iterations.
        const starts = drafts.flatMap(({ type }, index) => (type === 'iteration-started' ? [index + 1] : []));
        const place = starts[at % Math.max(1, starts.length)] ?? drafts.length;
        const { streaks } = stateAfter(...drafts);
        expect(stateAfter(...drafts.toSpliced(place, 0, ...(starts.length === 0 ? [] : events))).streaks).toEqual(
          streaks,
        );
      }),
    );
  });

  it('and what is not known gives no reason to stop', () => {
    const unknown = step.map(({ says, rewrites }) => ({ tree: 'start', says, rewrites, more: { files: undefined } }));
    fc.assert(
      fc.property(fc.array(unknown, { maxLength: 12 }), (steps) => {
        expect(reasonOf(play(steps))).toBeUndefined();
      }),
    );
  });
});

describe('a program or a login that is missing', () => {
  const policy = { failure: [parseCondition({ needs_person: 2 })] };
  const after = (count: number, text: string, isWorking = false) => {
    const drafts = times(count, () => ({ tree: '' })).flatMap((_, index) => {
      const files = isWorking ? trees(`${index}`, `${index + 1}`) : trees('a', 'a');
      return iteration(index + 1, { ...files, toolFailures: [{ digest: 'd', text }] });
    });
    return evaluateRun(stateAfter(started(policy), baseline({ tree: 'a' }), ...drafts)).reasons[0]?.class;
  };

  it.each([
    'bash: terraform: command not found',
    '/bin/sh: 1: protoc: not found',
    'ERROR: You do not currently have an active account selected.',
  ])('needs a person after three iterations that did nothing else: %s', (text) => {
    expect(after(2, text)).toBeUndefined();
    expect(after(3, text)).toBe('blocked');
  });

  it('does not while the agent works without it, or for another failure', () => {
    expect(after(3, 'bash: rg: command not found', true)).toBeUndefined();
    expect(after(4, 'AssertionError: 3 != 4')).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { baseline, begin, type Draft, end, started, stateAfter, tests, trees } from '../../../test/support/record.js';
import { evaluateCondition } from '../../standalone/evaluate.js';
import { factsOf } from '../../stop/facts.js';
import { judge } from '../../stop/judge.js';
import type { Facts } from '../judging/facts.js';
import type { Observation } from '../observation.js';
import { allTestsPass } from './all-tests-pass.js';
import { settled } from './settled.js';

const FACTS: Facts = { iteration: 2, spend: {}, streaks: {}, claims: {}, isQuiet: false, agentChangedSomething: true };
const statusOf = (facts: Partial<Facts>, condition = settled()) => judge(condition, { ...FACTS, ...facts }).status;
const done = { saysDone: { from: 'status-line', evidence: 'it works' } } as const;

describe('work is settled', () => {
  const quiet = { isQuiet: true, streaks: { quiet: 2 } } as const;

  it('when the agent says that it is done, or two iterations in a row change nothing more', () => {
    expect(statusOf(done)).toBe('met');
    expect(statusOf(quiet)).toBe('met');
    expect(statusOf({ isQuiet: true, streaks: { quiet: 1 } })).toBe('not-met');
    expect(statusOf({})).toBe('not-met');
  });

  it.each<[Partial<Facts>, string]>([
    [{ iteration: 0 }, 'not-met: no iteration'],
    [{ iteration: undefined }, 'not-met: no iteration'],
    [{ isAccepted: true, agentChangedSomething: false }, 'met: you have accepted'],
    [{ isAccepted: false }, 'not-met: the agent has not said'],
    [{ agentChangedSomething: false }, 'not-met: nothing has changed'],
    [{ claims: { blocked: 'the key' } }, 'not-met: the agent needs a person'],
    [done, 'met: the agent says it is done'],
    [{ claims: { continue: 'two parts' } }, 'not-met: the agent says that more work is left'],
    [{ isQuiet: undefined }, 'unknown: whether the last iteration changed anything'],
    [{ isQuiet: false, streaks: { quiet: 2 } }, 'not-met: the agent has not said that it is done'],
    [{ isQuiet: 'finished' }, 'met: the agent reports finished work'],
    [quiet, 'met: the last 2 iterations changed nothing'],
    [{ isQuiet: true }, 'not-met: the agent has not said that it is done, and only one iteration'],
    [{ rules: {}, isIdle: undefined }, 'unknown: whether the last iteration changed anything'],
    [{ rules: {}, isIdle: true }, 'met: the last iteration changed nothing'],
    [{ rules: {}, isIdle: false }, 'not-met: the agent has not said that it is done'],
  ])('or not, with the reason: %j is %s', (more, expected) => {
    const { status, reason } = judge(settled(), { ...FACTS, ...more });
    expect(`${status}: ${reason}`.startsWith(expected)).toBe(true);
  });

  it('without a word where it is not required: the sentence of a goal has only what counts', () => {
    const goal = { type: 'all', conditions: [allTestsPass(), settled({ onlyAfterGreenStart: true })] } as const;
    const facts = { ...FACTS, tests: tests(3, 0), baselineTests: tests(2, 1) };
    expect(judge(goal, facts)).toMatchObject({ status: 'met', reason: 'all 3 tests pass' });
    expect(judge(settled({ onlyAfterGreenStart: true }), facts).reason).toMatch(/not required.*at the start/);
    const alone = { type: 'any', conditions: [settled({ onlyAfterGreenStart: true })] } as const;
    expect(judge(alone, facts).reason).toMatch(/not required/);
    const green = { ...facts, baselineTests: tests(3, 0), ...done };
    expect(judge(goal, green).reason).toBe('all 3 tests pass and the agent says it is done');
  });

  it('is no news while the tests fail, or while it is not known whether they pass', () => {
    const reason = (more: Partial<Facts>) =>
      judge({ type: 'all', conditions: [allTestsPass(), settled()] }, { ...FACTS, ...more }).reason;
    expect(reason({ tests: tests(1, 1) })).toBe('1 of 2 tests fail');
    expect(reason({})).toMatch(/^the tests were not run[^;]*2$/);
    expect(reason({ tests: tests(2, 0) })).toBe('the agent has not said that it is done');
  });

  it('by one iteration that changes nothing more and reports finished work', () => {
    expect(statusOf({ isQuiet: 'finished', streaks: { quiet: 1 } })).toBe('met');
  });

  it('never while nothing differs from the start, whatever the agent says', () => {
    expect(statusOf({ ...done, agentChangedSomething: false })).toBe('not-met');
    expect(statusOf({ ...quiet, agentChangedSomething: false })).toBe('not-met');
    expect(statusOf({ ...done, iteration: 0 })).toBe('not-met');
  });

  it('not when the agent needs a person, whatever else it says', () => {
    expect(statusOf({ ...done, claims: { blocked: 'the key' } })).toBe('not-met');
    expect(statusOf({ ...quiet, claims: { blocked: 'the key' } })).toBe('not-met');
  });

  it('not when the agent says that more work is left', () => {
    expect(statusOf({ ...quiet, claims: { continue: 'two parts' } })).toBe('not-met');
  });

  it('by its word alone where files are not tracked, and unknown without a word', () => {
    expect(statusOf({ ...done, agentChangedSomething: undefined, isQuiet: undefined })).toBe('met');
    expect(statusOf({ agentChangedSomething: undefined, isQuiet: undefined })).toBe('unknown');
    expect(evaluateCondition(settled(), {}).status).toBe('not-met');
  });

  const quietAfter = (observation: Observation, more: Parameters<typeof end>[1] = {}, ...events: Draft[]) => {
    const state = stateAfter(started(), baseline({ tree: 'a' }), begin(1), ...events, end(1, { observation, ...more }));
    return [factsOf(state).isQuiet, state.streaks.quiet];
  };

  it('by quiet iterations alone: no change, no error, no failed or writing tool, and nothing left open', () => {
    const same: Observation = { ...trees('a', 'a'), closing: 'plain' };
    expect(quietAfter(same)).toEqual([true, 1]);
    expect(quietAfter({ ...same, closing: 'finished' })).toEqual(['finished', 1]);
    expect(quietAfter(trees('a', 'a'))).toEqual([undefined, undefined]);
    expect(quietAfter({ closing: 'plain' })).toEqual([undefined, undefined]);
    const disturbed: readonly Observation[] = [
      { ...same, closing: 'empty' },
      { ...same, closing: 'open' },
      { ...same, wroteFiles: true },
      { ...same, toolFailures: [{ digest: 'x', text: 'String to replace not found' }] },
      { ...same, also: { before: '1', after: '2' } },
      { ...same, outsideLines: ['x'] },
      { ...same, request: { kind: 'request', sentence: 'Which one?' } },
      { ...trees('a', 'b', { kinds: { notes: 1 }, lines: [] }), closing: 'plain' },
    ];
    for (const observation of disturbed) expect(quietAfter(observation)).toEqual([false, undefined]);
    expect(quietAfter(same, { outcome: 'failed', error: 'exit code 1' })).toEqual([false, undefined]);
    expect(quietAfter(same, {}, { type: 'error-seen', kind: 'auth', message: 'no', fingerprint: 'no' })[0]).toBe(false);
  });

  it('not after a tool was denied, also when a later one was allowed', () => {
    const denied: Draft[] = [
      { type: 'permission-denied', tool: 'Bash' },
      { type: 'tool-answered', id: '2' },
    ];
    expect(quietAfter({ ...trees('a', 'a'), closing: 'plain' }, {}, ...denied)).toEqual([false, undefined]);
  });

  const idleAfter = (observation: Observation, more: Parameters<typeof end>[1] = {}, ...events: Draft[]) =>
    factsOf(stateAfter(started(), baseline({ tree: 'a' }), begin(1), ...events, end(1, { observation, ...more })))
      .isIdle;

  it('in version 1 by an idle iteration, where it came to its end, undisturbed, and left every file as it was', () => {
    const same = trees('a', 'a');
    expect(idleAfter(same)).toBe(true);
    expect(idleAfter(trees('a', 'b', { kinds: { notes: 1 }, lines: [] }))).toBe(false);
    expect(idleAfter({})).toBeUndefined();
    expect(idleAfter(same, { outcome: 'failed', error: 'exit code 1' })).toBe(false);
    expect(idleAfter(same, { outcome: 'timed-out' })).toBe(false);
    expect(idleAfter(same, { outcome: 'skipped' })).toBe(false);
    expect(idleAfter({ ...same, request: { kind: 'request', sentence: 'Which one?' } })).toBe(false);
    expect(idleAfter(same, {}, { type: 'permission-denied', tool: 'Bash' })).toBe(false);
    expect(idleAfter(same, {}, { type: 'error-seen', kind: 'auth', message: 'no', fingerprint: 'no' })).toBe(false);
  });

  const hasChanged = (...observations: readonly Observation[]) =>
    factsOf(
      stateAfter(
        started(),
        baseline({ tree: 'a', tests: tests(3, 0) }),
        ...observations.flatMap((observation, index) => [begin(index + 1), end(index + 1, { observation })]),
      ),
    ).agentChangedSomething;

  it('not by files that only the tests wrote, nor by notes', () => {
    expect(hasChanged(trees('with-report', 'with-report'))).toBe(false);
    expect(hasChanged(trees('a', 'b', { kinds: { notes: 1, lock: 1 } }))).toBe(false);
    expect(hasChanged(trees('a', 'b', { kinds: { notes: 1, code: 1 } }))).toBe(true);
  });

  it('by what the agent changed in an earlier iteration, unless the files are as at the start again', () => {
    expect(hasChanged(trees('a', 'b'), trees('with-report', 'with-report'))).toBe(true);
    expect(hasChanged(trees('a', 'b'), trees('b', 'a'))).toBe(false);
    expect(hasChanged({})).toBeUndefined();
    expect(hasChanged({ ...trees('a', 'a'), tests: tests(4, 0) })).toBe(true);
  });

  it('by work in counted folders and outside of the working directory', () => {
    expect(hasChanged({ ...trees('a', 'a'), also: { before: '1', after: '2' } })).toBe(true);
    expect(hasChanged({ ...trees('a', 'a'), also: { before: '1', after: '1' } })).toBe(false);
    expect(hasChanged({ ...trees('a', 'a'), outsideLines: ['x'] })).toBe(true);
  });

  it('by any difference of the files in a run of version 1', () => {
    const facts = { ...FACTS, ...done, rules: {}, agentChangedSomething: false, differsFromStart: true };
    expect(judge(settled(), facts).status).toBe('met');
    expect(judge(settled(), { ...facts, differsFromStart: false }).status).toBe('not-met');
    expect(judge(settled(), { ...facts, saysDone: undefined, isIdle: true }).status).toBe('met');
  });

  it('from the start in a run that begins with failing tests, where the condition asks for a green start only', () => {
    const afterGreen = settled({ onlyAfterGreenStart: true });
    expect(statusOf({ iteration: 0, baselineTests: tests(3, 1) }, afterGreen)).toBe('met');
    expect(statusOf({ baselineTests: tests(4, 0) }, afterGreen)).toBe('not-met');
    expect(statusOf({}, afterGreen)).toBe('met');
    expect(statusOf({ baselineTests: tests(3, 1) })).toBe('not-met');
  });
});

/** Lists and metrics as goals: what the record says of them, and what follows from it. */
import { describe, expect, it } from 'vitest';
import { countBoxes } from '../observation/count-boxes.js';
import { line } from '../../test/support/facts.js';
import { baseline, iteration, started, stateAfter, tests } from '../../test/support/record.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import { boxesOf, boxesText } from './checklist.js';
import type { StopCondition } from './condition.js';
import { conditionKey } from './condition-key.js';
import { checklistDone } from './conditions/checklist-done.js';
import { metric } from './conditions/metric.js';
import { noProgress } from './conditions/no-progress.js';
import { isNewBest, metricKey, metricText, worseOf } from './metric.js';
import type { Observation, ProbeResult } from './observation.js';
import type { RunState } from './run-state.js';

const sentenceOf = (state: RunState) => evaluateRun(state).judgements[0];
const played = (goal: StopCondition, probes: readonly (ProbeResult | undefined)[], more: Observation[] = []) => {
  const observed = (index: number): Observation => {
    const probe = probes[index];
    const tree = `t${index}`;
    const files = { treeBefore: `t${index - 1}`, treeAfter: tree, created: [], modified: ['a'], deleted: [] };
    return {
      ...(index === 0 ? { tree } : { files: { ...files, changedFiles: 1, changedLines: 1, kinds: { notes: 1 } } }),
      ...more[index],
      ...(probe === undefined ? {} : { probes: { [conditionKey(goal)]: probe } }),
    };
  };
  const [first, ...rest] = probes.map((_, index) => observed(index));
  return stateAfter(
    started({ success: [goal], failure: [noProgress(3)] }),
    baseline(first),
    ...rest.flatMap((observation, index) => iteration(index + 1, observation)),
  );
};

describe('a list of boxes', () => {
  const plan = checklistDone('PLAN.md');
  const seen = (text: string): ProbeResult => {
    const boxes = boxesOf(countBoxes(text));
    const isDone = boxes.total > 0 && boxes.checked === boxes.total;
    return { met: isDone, detail: boxesText(boxes, 'PLAN.md'), version: text, boxes };
  };
  const after = (...texts: readonly string[]) => played(plan, texts.map(seen));
  const [NONE, ONE, BOTH] = ['- [ ] a\n- [ ] b\n', '- [x] a\n- [ ] b\n', '- [x] a\n- [x] b\n'];

  it('is done when no unchecked box is left, and says whose list it is', () => {
    const state = after(NONE, ONE, BOTH);
    expect(evaluateRun(state)).toMatchObject({ stop: true, class: 'goal' });
    expect(sentenceOf(state)?.sentence).toBe("all 2 boxes in PLAN.md are checked (the agent's own list)");
  });

  it('is not done while a box is left, and names it', () => {
    expect(sentenceOf(after(NONE, ONE))).toMatchObject({
      status: 'not-met',
      progress: 0.5,
      sentence: '1 of 2 boxes in PLAN.md are checked (left: b)',
    });
  });

  it('is not done when a box is unticked again', () => {
    expect(sentenceOf(after(NONE, BOTH, ONE))).toMatchObject({ status: 'not-met' });
  });

  it('is not done when the boxes that are left are deleted, and says what is missing', () => {
    expect(sentenceOf(after('- [x] a\n- [ ] b\n- [ ] c\n', '- [x] a\n'))).toMatchObject({
      status: 'not-met',
      sentence: 'the only box in PLAN.md is checked, but 2 of the 3 boxes from the start are missing, such as b; c',
    });
  });

  it('is not done when the file is emptied or deleted', () => {
    expect(sentenceOf(after(NONE, ''))?.status).toBe('not-met');
    const gone = played(plan, [seen(NONE), { met: false, detail: 'PLAN.md does not exist' }]);
    expect(sentenceOf(gone)).toMatchObject({ status: 'not-met', sentence: 'PLAN.md does not exist (it had 2 boxes)' });
    const one = played(plan, [seen('- [ ] a\n'), { met: false, detail: 'PLAN.md does not exist' }]);
    expect(sentenceOf(one)?.sentence).toBe('PLAN.md does not exist (it had 1 box)');
  });

  it('that was never there is said to be missing, without boxes that it had', () => {
    const missing = { met: false, detail: 'PLAN.md does not exist' };
    for (const before of [undefined, missing, seen('')])
      expect(sentenceOf(played(plan, [before, missing]))?.sentence).toBe('PLAN.md does not exist');
    expect(sentenceOf(played(plan, [missing, { met: false }]))?.sentence).toBe('PLAN.md cannot be read');
  });

  it('with fewer boxes than at the start shows progress by the boxes of the start, and names those it knows', () => {
    const fewer = sentenceOf(after('- [x] a\n- [x] b\n- [ ] c\n- [ ] d\n', '- [x] a\n- [ ] c\n- [ ] d\n'));
    expect(fewer).toMatchObject({ progress: 0.25, sentence: expect.stringMatching(/start are missing$/) });
  });

  it('without any box is not done', () => {
    expect(sentenceOf(after('text', 'more text'))).toMatchObject({
      status: 'not-met',
      progress: 0,
      sentence: 'PLAN.md has no boxes ("- [ ] what to do")',
    });
  });

  it('that grew is done when the new boxes are checked, too', () => {
    expect(sentenceOf(after(NONE, `${BOTH}- [ ] c\n`))?.status).toBe('not-met');
    expect(sentenceOf(after(NONE, `${BOTH}- [x] c\n`))?.status).toBe('met');
  });

  it('that cannot be counted is unknown and ends nothing', () => {
    const state = played(plan, [seen(NONE), { detail: 'PLAN.md is larger than 4 MB' }]);
    expect(sentenceOf(state)).toMatchObject({ status: 'unknown', sentence: 'PLAN.md is larger than 4 MB' });
    expect(sentenceOf(played(plan, [seen(NONE), {}]))?.sentence).toBe('the boxes in PLAN.md could not be counted');
    expect(sentenceOf(played(plan, [seen(NONE), undefined]))).toMatchObject({
      status: 'unknown',
      sentence: 'the boxes in PLAN.md have not been counted yet',
    });
    expect(evaluateRun(state).stop).toBe(false);
  });

  it('that was complete before the run counts at once, or with `fresh` only after it changes', () => {
    expect(evaluateRun(after(BOTH)).stop).toBe(true);
    const fresh = checklistDone('PLAN.md', { fresh: true });
    const freshly = (...texts: readonly string[]) => sentenceOf(played(fresh, texts.map(seen)))?.status;
    expect(sentenceOf(played(fresh, [seen(BOTH)]))?.sentence).toMatch(/^all 2 boxes .* nothing has changed since$/);
    expect(sentenceOf(played(fresh, [undefined, seen(BOTH)]))?.status).toBe('met');
    const counted = { version: 'same', boxes: boxesOf(countBoxes(BOTH)) };
    expect(
      sentenceOf(
        played(fresh, [
          { ...counted, met: false },
          { ...counted, met: true },
        ]),
      )?.status,
    ).toBe('met');
    expect(freshly(BOTH)).toBe('not-met');
    expect(freshly(BOTH, BOTH)).toBe('not-met');
    expect(freshly(BOTH, `${BOTH}- [x] c\n`)).toBe('met');
    expect(freshly(ONE, BOTH)).toBe('met');
    expect(freshly('', BOTH)).toBe('met');
  });

  it('a further box is progress, although nothing but notes changed', () => {
    expect(
      after('- [ ] a\n- [ ] b\n- [ ] c\n- [ ] d\n', '- [x] a\n- [ ] b\n- [ ] c\n- [ ] d\n').streaks.withoutProgress,
    ).toBe(0);
    expect(after(NONE, NONE, ONE).streaks.withoutProgress).toBe(0);
  });

  it.each([
    ['nothing checked', [NONE, NONE, NONE, NONE]],
    ['ticked and unticked again and again', [ONE, NONE, ONE, NONE]],
    ['deleted boxes', ['- [ ] a\n- [ ] b\n- [ ] c\n', '- [ ] a\n- [ ] b\n', '- [ ] a\n', '']],
    [
      'a diary of checked boxes',
      [ONE, `- [x] 1\n${ONE}`, `- [x] 1\n- [x] 2\n${ONE}`, `- [x] 1\n- [x] 2\n- [x] 3\n${ONE}`],
    ],
  ])('%s is not progress', (_, texts) => {
    expect(after(...texts).streaks.withoutProgress).toBe(3);
  });

  it('a plan that is rewritten without a further box is not progress, whatever its name', () => {
    const rewritten = [{}, {}, {}, {}].map(
      (): Observation => ({
        files: {
          treeBefore: 'x',
          treeAfter: Math.random().toString(),
          created: [],
          modified: ['PLAN.md'],
          deleted: [],
          changedFiles: 1,
          changedLines: 9,
          kinds: { code: 1 },
        },
      }),
    );
    expect(played(plan, [NONE, NONE, NONE, NONE].map(seen), rewritten).streaks.withoutProgress).toBe(3);
  });
});

describe('a metric', () => {
  const p95 = metric('./p95', { better: 'lower', target: 100, patience: 3 });
  const key = metricKey(p95);
  const values = (...found: readonly (number | string | undefined)[]): (ProbeResult | undefined)[] =>
    found.map((one) => (typeof one === 'number' ? { value: one } : one === undefined ? undefined : { detail: one }));
  const after = (...found: readonly (number | string | undefined)[]) => played(p95, values(...found));

  it('is met when the last value reaches the target, in either direction', () => {
    expect(evaluateRun(after(400, 100))).toMatchObject({ stop: true, class: 'goal' });
    expect(evaluateRun(after(400, 101)).stop).toBe(false);
    const coverage = metric('./coverage', { better: 'higher', target: 90 });
    expect(evaluateRun(played(coverage, values(40, 90)))).toMatchObject({ stop: true, class: 'goal' });
    expect(evaluateRun(played(coverage, values(40, 89.9))).stop).toBe(false);
  });

  it('that was not measured is unknown', () => {
    expect(evaluateRun(played(p95, [undefined])).stop).toBe(false);
    expect(sentenceOf(after(400, undefined))).toMatchObject({
      status: 'unknown',
      sentence: '"./p95" has not been measured yet',
    });
  });

  it('shows how much of the way to the target is done, where it knows where it started', () => {
    expect(sentenceOf(after(400, 325))?.progress).toBe(0.25);
    expect(sentenceOf(after('NaN', 325))?.progress).toBeUndefined();
    expect(sentenceOf(after(100, 325))?.progress).toBeUndefined();
  });

  it('names the value and the target, and the best so far and the patience where there is some', () => {
    const sentence = (options: Parameters<typeof metric>[1], ...found: readonly (number | string)[]) =>
      sentenceOf(played(metric('./p95', options), values(...found)))?.sentence;
    const better = 'lower';
    expect(sentence({ better, target: 100 }, 400, 100)).toBe('"./p95" measures 100, at most 100 was the target');
    expect(sentence({ better, target: 100 }, 400, 410)).toBe(
      '"./p95" measures 410; best so far 400 before the first iteration; the target is at most 100',
    );
    expect(sentence({ better, target: 100, patience: 3 }, 400, 300)).toBe(
      '"./p95" measures 300; the best so far; the target is at most 100',
    );
    expect(sentence({ better, patience: 3 }, 400, 410)).toBe(
      '"./p95" measures 410; best so far 400 before the first iteration; 1 of 3 iterations without a better result',
    );
    expect(sentence({ better, patience: 3 }, 'NaN', 'NaN')).toBe(
      '"./p95" gave no value: NaN; 1 of 3 iterations without a better result',
    );
    expect(sentence({ better, target: 100 }, 'NaN', 'NaN')).toBe('"./p95" gave no value: NaN');
  });

  it('is judged without what it has shown before, where no run recorded that', () => {
    const probes = { [conditionKey(p95)]: { value: 300 } };
    expect(line(p95, { probes })).toBe('not-met: "./p95" measures 300; the target is at most 100');
    expect(line(p95, { probes: { [conditionKey(p95)]: {} } })).toBe('unknown: "./p95" gave no value: unknown');
  });

  it('a value that was reached before and is lost again does not count', () => {
    expect(sentenceOf(after(400, 250, 300))?.sentence).toBe(
      '"./p95" measures 300; best so far 250 in iteration 1; the target is at most 100; 1 of 3 iterations without a better result',
    );
  });

  it.each(['it printed NaN', 'it printed no number', 'it exited with 1'])('is unknown, never 0, when %s', (detail) => {
    const state = after(400, detail);
    expect(sentenceOf(state)).toMatchObject({ status: 'unknown' });
    expect(sentenceOf(state)?.sentence).toContain(
      `gave no value: ${detail}; best so far 400 before the first iteration`,
    );
    expect(state.metrics?.[key]).toMatchObject({ start: 400, best: { value: 400, iteration: 0 } });
    expect(state.metrics?.[key]?.last).toBeUndefined();
  });

  it('gives up after so many iterations without a better result', () => {
    expect(evaluateRun(after(400, 300, 310, 305)).stop).toBe(false);
    const { class: stopClass, reasons } = evaluateRun(after(400, 300, 310, 305, 300));
    expect(stopClass).toBe('failure');
    expect(reasons).toContainEqual(
      expect.objectContaining({
        path: 'stop.success[0]',
        class: 'failure',
        message: '"./p95" has not improved for 3 iterations: 300, the best so far, 400 at the start',
      }),
    );
  });

  it('without a target, that it improves no more is a limit and no failure', () => {
    const free = metric('./p95', { better: 'lower', patience: 2 });
    expect(evaluateRun(played(free, values(400, 300, 301, 302)))).toMatchObject({ stop: true, class: 'limit' });
  });

  it('iterations that gave no value are without a better result, and those that were not measured do not count', () => {
    expect(evaluateRun(after(400, 300, 'NaN', 'NaN', 'NaN'))).toMatchObject({ stop: true, class: 'failure' });
    expect(
      evaluateRun(after(400, 300, undefined, undefined, undefined)).reasons.map(({ message }) => message),
    ).not.toContain(expect.stringContaining('improved'));
    expect(after(400, 300, undefined, undefined).metrics?.[key]?.stalled).toBe(0);
  });

  it('a gain every third iteration never gives up', () => {
    expect(evaluateRun(after(400, 410, 405, 300, 320, 310, 200, 230, 210)).stop).toBe(false);
  });

  it('what is not larger than min_change is noise, but small gains add up', () => {
    const noisy = metric('./p95', { better: 'lower', target: 100, patience: 3, min_change: 10 });
    expect(evaluateRun(played(noisy, values(400, 395, 391, 396)))).toMatchObject({ stop: true, class: 'failure' });
    const state = played(noisy, values(400, 396, 392, 388));
    expect(evaluateRun(state).stop).toBe(false);
    expect(state.metrics?.[key]).toMatchObject({ best: { value: 388, iteration: 3 }, stalled: 0 });
  });

  it('of two measurements the worse counts, and none if one gave no value', () => {
    expect(worseOf({ value: 90 }, { value: 140 }, p95)).toEqual({ value: 140 });
    expect(worseOf({ value: 140 }, { value: 90 }, p95)).toEqual({ value: 140 });
    expect(worseOf({ value: 90 }, { value: 140 }, { ...p95, better: 'higher' })).toEqual({ value: 90 });
    expect(worseOf({ value: 90 }, { detail: 'it exited with 1' }, p95)).toEqual({
      detail: 'it gave 90 first, and no value the second time: it exited with 1',
    });
    expect([isNewBest(undefined, 5, p95), isNewBest(undefined, undefined, p95)]).toEqual([true, false]);
  });

  it('a better best is progress, an equal one is not', () => {
    expect(after(400, 399).streaks.withoutProgress).toBe(0);
    expect(after(400, 400, 401).streaks.withoutProgress).toBe(2);
    expect(after(400, 'NaN').streaks.withoutProgress).toBe(1);
  });

  it('a result with tests that passed at the start and fail now is not a best one', () => {
    const state = played(p95, values(400, 150, 300), [
      { tests: tests(5, 0) },
      { tests: tests(4, 1) },
      { tests: tests(5, 0) },
    ]);
    expect(state.metrics?.[key]?.best).toEqual({ value: 300, iteration: 2, tree: 't2' });
    const red = played(p95, values(400, 150), [{ tests: tests(5, 0) }, { tests: tests(4, 1) }]);
    expect(sentenceOf(red)?.sentence).toContain('with tests failing that passed at the start');
  });

  it('the best so far survives another target, and a resume is patient again', () => {
    const state = stateAfter(
      started({ success: [p95] }),
      baseline({ probes: { [conditionKey(p95)]: { value: 400 } } }),
      ...iteration(1, { probes: { [conditionKey(p95)]: { value: 410 } } }),
      { type: 'run-resumed', cause: 'operator' },
    );
    expect(state.metrics?.[key]).toMatchObject({ best: { value: 400 }, stalled: 0 });
    expect(metricKey(metric('./p95', { better: 'lower', target: 1 }))).toBe(key);
  });

  it('says how it is in a few words', () => {
    expect(metricText({ stalled: 0, start: 400, last: 300, best: { value: 200, iteration: 2 } })).toBe(
      '300, best so far 200 in iteration 2, 400 at the start',
    );
    expect(metricText({ stalled: 0, problem: 'it printed NaN' })).toBe('no value (it printed NaN)');
  });

  it('needs a target or patience, and a direction', () => {
    expect(() => metric('x', { better: 'lower' })).toThrow('metric needs target, patience or both');
    expect(() => metric('x', { better: 'up' as never, target: 1 })).toThrow('must be "higher" or "lower", not "up"');
    expect(() => metric('x', { better: 'lower', target: Number.NaN })).toThrow('must be a number');
    expect(() => metric('x', { better: 'lower', target: 1, min_change: -1 })).toThrow('at least 0');
  });
});

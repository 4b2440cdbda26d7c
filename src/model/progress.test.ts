import { describe, expect, it } from 'vitest';
import { baseline, begin, type Draft, end, started, stateAfter, tests, trees } from '../../test/support/record.js';
import { lostGreen } from './progress.js';
import { openIteration } from './phase.js';

const green = (iteration: number, tree: string, passed = 5): Draft => ({ type: 'green-seen', iteration, tree, passed });
const RED = tests(4, 1);
const ALL = tests(5, 0);
const start = [started(), baseline({ tests: RED })];

describe('a green moment in the fold', () => {
  it('the last one of the iteration under way counts', () => {
    const state = stateAfter(...start, begin(1), green(1, 'a'), green(1, 'b', 6));
    expect(openIteration(state)?.green).toMatchObject({ tree: 'b', passed: 6, at: expect.any(String) });
    expect(lostGreen(state)).toMatchObject({ iteration: 1, tree: 'b' });
  });

  it.each([
    ['red tests', { tests: RED, ...trees('x', 'z') }, true],
    ['tests that nobody ran', trees('x', 'z'), true],
    ['green tests', { tests: ALL, ...trees('x', 'z') }, false],
    ['fewer tests than at the start, all of them green', { tests: tests(2, 0), ...trees('x', 'z') }, true],
    ['red tests on the very files that were green', { tests: RED, ...trees('x', 'a') }, false],
  ])('of an iteration that ended with %s is kept or not', (_, observation, isKept) => {
    const state = stateAfter(...start, begin(1), green(1, 'a'), end(1, { observation }));
    expect(state.recent.at(-1)?.green?.tree).toBe(isKept ? 'a' : undefined);
    expect(lostGreen(state)?.iteration).toBe(isKept ? 1 : undefined);
  });

  it('survives a crash in the iteration and the resume', () => {
    const crashed = end(1, { outcome: 'interrupted', interruption: 'crash', observation: trees('x', 'z') });
    const state = stateAfter(...start, begin(1), green(1, 'a'), { type: 'run-resumed', cause: 'crash' }, crashed);
    expect(lostGreen(state)).toMatchObject({ iteration: 1, tree: 'a' });
  });

  it('is the newest one, until an iteration ends green', () => {
    const red = (iteration: number, tree: string) =>
      end(iteration, { observation: { tests: RED, ...trees('x', tree) } });
    const two = [begin(1), green(1, 'a'), red(1, 'y'), begin(2), red(2, 'z')];
    expect(lostGreen(stateAfter(...start, ...two))).toMatchObject({ iteration: 1 });
    const three = [...two, begin(3), end(3, { observation: { tests: ALL, ...trees('z', 'w') } })];
    expect(lostGreen(stateAfter(...start, ...three))).toBeUndefined();
    const four = [...three, begin(4), green(4, 'c'), red(4, 'v')];
    expect(lostGreen(stateAfter(...start, ...four))).toMatchObject({ iteration: 4, tree: 'c' });
  });

  it('of another iteration, or between two, changes nothing, and between two it is a fault', () => {
    expect(openIteration(stateAfter(...start, begin(1), green(2, 'a')))?.green).toBeUndefined();
    const between = stateAfter(...start, green(1, 'a'));
    expect(between.faults).toMatchObject([{ type: 'green-seen' }]);
    expect(lostGreen(between)).toBeUndefined();
  });

  it('is bounded with the iterations, however many there are', () => {
    const many = Array.from({ length: 300 }, (_, index) => index + 1).flatMap((number) => [
      begin(number),
      green(number, `green ${number}`),
      end(number, { observation: { tests: RED, ...trees('x', `red ${number}`) } }),
    ]);
    const state = stateAfter(...start, ...many);
    expect(state.recent).toHaveLength(100);
    expect(JSON.stringify(state)).not.toContain('green 200"');
  });
});

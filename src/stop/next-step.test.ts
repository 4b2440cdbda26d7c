import { expect, it } from 'vitest';
import { begin, type Draft, iteration, started, stateAfter } from '../../test/support/record.js';
import { nextStepsOf } from './next-step.js';

const worked = stateAfter(started(), ...iteration(1));

it.each([
  ['pawl diff X', 'review'],
  ['pawl restore X 0 --cwd /p', 'undo'],
  ["pawl resume X --steer '<your answer>'", 'continue'],
  ['pawl pipeline run --resume X', 'continue'],
  ['pawl pipeline run --resume X --redo a', 'redo'],
  ["git -C '/a b' add --all && git -C '/a b' commit && git merge pawl/try", 'merge'],
  ['git worktree remove /merge/x', 'clean up'],
  ['pawl stop X', undefined],
])('%s has a word that says what it is for: %s', (command, label) => {
  expect(nextStepsOf([command], worked)[0]?.label).toBe(label);
});

it('a restore says that it is of all files, and of when', () => {
  const about = (command: string) => nextStepsOf([command], worked)[0]?.about;
  expect(about('pawl restore X 0')).toBe('all files, as before the first iteration');
  expect(about('pawl restore X 12 --cwd /p')).toBe('all files, as after iteration 12');
});

it('a resume after a crash says which iteration it starts: the number of one that started no agent is used again', () => {
  const about = (...more: Draft[]) =>
    nextStepsOf(['pawl resume X'], stateAfter(started(), ...iteration(1), begin(2), ...more))[0]?.about;
  expect(about()).toMatch(/starts iteration 2 /);
  expect(about({ type: 'agent-spawned', pid: 7, startTime: '1' })).toMatch(/starts iteration 3 /);
  expect(nextStepsOf(['pawl resume X'], worked)[0]?.about).toBeUndefined();
});

it('a diff of an interrupted run says where it ends: what the open iteration changed has no snapshot', () => {
  const state = stateAfter(started(), ...iteration(1), begin(2));
  expect(nextStepsOf(['pawl diff X'], state)[0]?.about).toMatch(/^up to iteration 1$/);
  expect(nextStepsOf(['pawl diff X'], worked)[0]?.about).toBeUndefined();
});

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
  ['pawl approve X', 'accept'],
  ['pawl run', 'or keep'],
  ["git -C '/a b' add --all && git -C '/a b' commit && pawl run --cwd '/a b'", 'or keep'],
  ['pawl stop X', undefined],
])('%s has a word that says what it is for: %s', (command, label) => {
  expect(nextStepsOf([command], worked)[0]?.label).toBe(label);
});

it('a restore says that it is of all files, and of when', () => {
  const about = (command: string) => nextStepsOf([command], worked)[0]?.about;
  expect(about('pawl restore X 0')).toBe('all but ignored files, as before the first iteration');
  expect(about('pawl restore X 12 --cwd /p')).toBe('all but ignored files, as after iteration 12');
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

it('a command that changes what counts says what it does, and one that a text only holds does not', () => {
  const about = (command: string) => nextStepsOf([command], worked)[0]?.about;
  expect(about('pawl approve X')).toMatch(/accepts the tests/);
  expect([about('pawl run'), about('pawl run --cwd /p')]).toEqual([about('pawl run'), about('pawl run')]);
  expect(about('pawl run')).toMatch(/keeps the change.*new run/);
  expect(about('git add --all && git commit && pawl run')).toMatch(/commits all changes.*new run/);
  expect(about("pawl resume X --max-cost 0.23 --steer 'x'")).toMatch(/from the start of the run/);
  expect(about("pawl resume X --steer 'see --max-cost'")).toBeUndefined();
  expect(about('pawl runs')).toBeUndefined();
  expect(about('pawl show X')).toBeUndefined();
  for (const other of ['pawl restore X 3', 'pawl approve X', 'pawl run']) {
    expect(about(`echo ${other}`)).toBeUndefined();
  }
});

it('a resume after Pawl failed says where it continues, and one after a crash that the agent is ended first', () => {
  const about = (...drafts: Draft[]) => nextStepsOf(['pawl resume X'], stateAfter(started(), ...drafts))[0]?.about;
  const failed: Draft = { type: 'run-ended', state: 'error', reasons: [], error: 'x' };
  expect(about(...iteration(1), failed)).toBe('starts iteration 2 on the files as they are now');
  expect(about(begin(1), { type: 'agent-spawned', pid: 7, startTime: '1' })).toMatch(/^ends what is left of the agent/);
});

it('a diff of one iteration says so, and an undo by force that what it replaces is kept', () => {
  const about = (command: string) => nextStepsOf([command], worked)[0]?.about;
  expect(about('pawl diff X 4 --cwd /p')).toBe('what iteration 4 changed');
  expect(about('pawl diff loop_01TEST 12')).toBe('what iteration 12 changed');
  expect(about('echo pawl diff X 4')).toBeUndefined();
  expect(about('pawl restore X 1 --force')).toMatch(/after iteration 1; a checkpoint keeps what is replaced$/);
});

it('an approval of tests that could not be counted says that their exit code is accepted', () => {
  const about = (...paths: readonly string[]) => {
    const reasons = paths.map((path) => ({ path, class: 'blocked', message: 'x' }) as const);
    const ended: Draft = { type: 'run-ended', state: 'stopped', class: 'blocked', reasons };
    return nextStepsOf(['pawl approve X'], stateAfter(started(), ...iteration(1), ended))[0]?.about;
  };
  expect(about('tests.uncounted')).toMatch(/accepts that the tests exit with 0/);
  expect(about('tests.uncounted', 'stop.limits[0]')).toMatch(/exit with 0/);
  expect(about('tests.original')).toMatch(/as the agent changed them/);
  expect(about()).toMatch(/as the agent changed them/);
});

it('of an open iteration only a diff and a resume say where they are', () => {
  const state = stateAfter(started(), ...iteration(1), begin(2));
  expect(nextStepsOf(['pawl show X'], state)[0]?.about).toBeUndefined();
});

it('an undo of a run with a long name says to when', () => {
  expect(nextStepsOf(['pawl restore loop_01TEST 12'], worked)[0]?.about).toMatch(/after iteration 12$/);
});

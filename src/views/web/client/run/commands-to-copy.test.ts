import { expect, it } from 'vitest';
import { begin, type Draft, iteration, started, stateAfter, trees } from '../../../../../test/support/record.js';
import type { ViewedRun } from '../../wire/api.js';
import { resolveConfig } from '../../../../config/resolve-config.js';
import { nextCommands, nextSteps } from '../../../../words/next-steps.js';
import { commandsToCopy } from './command-list.js';

const DONE: Draft = { type: 'run-ended', state: 'completed', class: 'goal', reasons: [] };
const commandsAfter = (...drafts: readonly Draft[]) => {
  const view = { state: stateAfter(started(), ...drafts) };
  const viewed = { runId: 'loop_01K9ZZZZZZ0000000000000000', workingDir: '/home/me/project', view };
  return commandsToCopy(viewed as unknown as ViewedRun);
};

it('a run that is done is reviewed: what it changed comes first', () => {
  const place = '01K9ZZZZZZ --cwd /home/me/project';
  expect(commandsAfter(...iteration(1, trees('a', 'b')), DONE)).toEqual([`pawl diff ${place}`, `pawl show ${place}`]);
  expect(commandsAfter(DONE)).toEqual([`pawl show ${place}`]);
});

it('are those of the terminal, also for a run that gave up or was interrupted', () => {
  const runId = 'loop_01K9ZZZZZZ0000000000000000';
  const { spec } = resolveConfig({});
  const worked = [started({}, { spec }), ...iteration(1, trees('a', 'b'))];
  const gaveUp = stateAfter(...worked, { type: 'run-ended', state: 'stopped', class: 'failure', reasons: [] });
  const interrupted = stateAfter(...worked, begin(2));
  const shown = (state: typeof gaveUp) =>
    commandsToCopy({ runId, workingDir: '/p', view: { state } } as unknown as ViewedRun);
  expect(shown(gaveUp)).toEqual(nextSteps(runId, gaveUp, { cwd: '/x', now: Date.now }, ' --cwd /p'));
  expect(shown(gaveUp)).toContain('pawl restore 01K9ZZZZZZ 0 --cwd /p');
  expect(shown(interrupted)).toEqual(nextCommands(runId, interrupted, false, Date.now(), ' --cwd /p'));
  expect(shown(interrupted)).toContain('pawl diff 01K9ZZZZZZ --cwd /p');
});

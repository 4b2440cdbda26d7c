import { expect, it } from 'vitest';
import { type Draft, iteration, started, stateAfter, trees } from '../../../../../test/support/record.js';
import type { ViewedRun } from '../../wire/api.js';
import { commandsToCopy } from './commands-to-copy.js';

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

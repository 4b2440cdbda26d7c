import { describe, expect, it } from 'vitest';
import { baseline, begin, type Draft, end, started, stateAfter } from '../../test/support/record.js';
import type { LoopCommand } from '../model/loop-command.js';
import { effectOf } from './command-effect.js';

const asked = (command: LoopCommand): Draft => ({ type: 'command-received', command, by: 'me' });
const status = (name: 'pre_hooks' | 'executing' | 'post_hooks'): Draft => ({ type: 'iteration-status', status: name });
const executing = [started(), baseline(), begin(1), status('executing')];
const last = [started({ limits: [{ type: 'max_iterations', count: 1 }] }), baseline(), begin(1), status('executing')];
const between = [...executing, end(1)];
const hook = (name: 'on_pause' | 'on_stop'): Draft => ({ type: 'hook-started', hook: name });
const pausing = [...between, asked({ type: 'pause' }), { type: 'paused' } as const, hook('on_pause')];
const stopping = [...between, hook('on_stop')];

describe('what comes of a command', () => {
  it.each<readonly [string, LoopCommand, readonly Draft[], string, boolean]>([
    ['pause, while an agent works', { type: 'pause' }, executing, 'pauses after this iteration', true],
    ['pause, between two iterations', { type: 'pause' }, between, 'pauses', false],
    ['pause, in the baseline', { type: 'pause' }, [started()], 'pauses before the first iteration', true],
    [
      'pause in the last iteration',
      { type: 'pause' },
      last,
      'is in its last iteration, and pauses only if its limit is extended',
      true,
    ],
    [
      'steer in the last iteration',
      { type: 'steer', text: 'x' },
      last,
      'is in its last iteration: the agent is told only if the run is extended or resumed',
      true,
    ],
    ['steer before', { type: 'steer', text: 'x' }, executing, 'will tell the agent in its next prompt', true],
    ['unpause of a pause', { type: 'resume' }, [...between, { type: 'paused' }], 'continues', false],
    [
      'unpause of a pause that was only asked for',
      { type: 'resume' },
      [...executing, asked({ type: 'pause' })],
      'continues: the requested pause is cancelled',
      false,
    ],
    [
      'unpause of a wait',
      { type: 'resume' },
      [...between, { type: 'waiting-started', for: 'overload' }],
      'tries again now',
      false,
    ],
    ['unpause while the hook runs', { type: 'resume' }, pausing, 'ends the hook on_pause and continues', false],
    ['skip of that hook', { type: 'skip' }, pausing, 'ends the hook on_pause, and stays paused', false],
    ['stop in that hook', { type: 'stop' }, pausing, 'ends the hook on_pause and stops', false],
    ['stop while it stops', { type: 'stop' }, stopping, 'is already stopping, and the hook on_stop runs', true],
    ['stop --now while it stops', { type: 'stop', now: true }, stopping, 'ends the hook on_stop and stops', false],
    ['skip while it stops', { type: 'skip' }, stopping, 'ends the hook on_stop, and stops', false],
    [
      'extend while it stops',
      { type: 'extend', limit: { type: 'max_iterations', count: 9 } },
      stopping,
      'stops first: the new limit counts when it is resumed: after 9 iterations',
      true,
    ],
    ['skip', { type: 'skip' }, executing, 'ends this iteration and continues', false],
    [
      'skip after a stop',
      { type: 'skip' },
      [...executing, asked({ type: 'stop' })],
      'ends this iteration, and stops',
      false,
    ],
    [
      'skip after a pause',
      { type: 'skip' },
      [...executing, asked({ type: 'pause' })],
      'ends this iteration, and pauses',
      false,
    ],
    [
      'skip in a hook after the agent',
      { type: 'skip' },
      [...executing, status('post_hooks')],
      'ends the hook and continues',
      false,
    ],
    ['stop, while an agent works', { type: 'stop' }, executing, 'stops after this iteration', true],
    [
      'stop, in a hook before the agent',
      { type: 'stop' },
      [started(), baseline(), begin(1), status('pre_hooks')],
      'stops: the agent is not started any more',
      false,
    ],
    ['stop, between two iterations', { type: 'stop' }, between, 'stops', false],
    ['stop --now', { type: 'stop', now: true }, executing, 'stops now', false],
    ['stop after stop --now', { type: 'stop' }, [...executing, asked({ type: 'stop', now: true })], 'stops now', false],
    [
      'steer after a stop',
      { type: 'steer', text: 'x' },
      [...executing, asked({ type: 'stop' })],
      'stops first: it tells the agent when it is resumed',
      true,
    ],
  ])('%s is told as it is', (_, command, drafts, text, isPending) => {
    expect(effectOf(command, stateAfter(...drafts))).toEqual({ text, isPending });
  });

  it('a rejection says that the run asks again, and not that it goes on', () => {
    const { text } = effectOf({ type: 'reject', text: 'no' }, stateAfter(...between));
    expect(text).toMatch(/^does not start: it asks for approval again/);
  });
});

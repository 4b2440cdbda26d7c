import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, started, stateAfter } from '../../../test/support/record.js';
import type { LoopCommand } from '../../model/loop-command.js';
import { pendingText } from './pending-text.js';

const asked = (command: LoopCommand): Draft => ({ type: 'command-received', command, by: 'me' });

describe('what was asked of a run and has not happened yet', () => {
  it.each<readonly [string, readonly Draft[], string | undefined]>([
    ['nothing', [begin(1)], undefined],
    [
      'a pause',
      [begin(1), asked({ type: 'pause' })],
      'pauses after this iteration, asked by me; pawl unpause takes it back',
    ],
    ['a pause that was taken back', [begin(1), asked({ type: 'pause' }), asked({ type: 'resume' })], undefined],
    ['a pause that has come', [begin(1), asked({ type: 'pause' }), end(1), { type: 'paused' }], undefined],
    ['a stop', [begin(1), asked({ type: 'stop' })], 'stops after this iteration, asked by me'],
    [
      'a stop in the delay',
      [begin(1), end(1), asked({ type: 'stop' })],
      'stops before the next iteration, asked by me',
    ],
    [
      'a stop after a pause',
      [begin(1), asked({ type: 'pause' }), asked({ type: 'stop' })],
      'stops after this iteration, asked by me',
    ],
    ['a stop at once', [begin(1), asked({ type: 'stop', now: true })], 'stops now, asked by me'],
  ])('is said: %s', (_, drafts, text) => {
    expect(pendingText(stateAfter(started(), ...drafts))).toBe(text);
  });
});

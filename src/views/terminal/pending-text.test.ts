import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, started, stateAfter } from '../../../test/support/record.js';
import type { LoopCommand } from '../../model/loop-command.js';
import { pausedText, pendingText } from './pending-text.js';

const asked = (command: LoopCommand): Draft => ({ type: 'command-received', command, by: 'me' });

describe('what was asked of a run and has not happened yet', () => {
  it.each<readonly [string, readonly Draft[], string | undefined]>([
    ['nothing', [begin(1)], undefined],
    [
      'a pause',
      [begin(1), asked({ type: 'pause' })],
      'pauses after this iteration, requested by me; pawl unpause cancels this',
    ],
    ['a pause that was taken back', [begin(1), asked({ type: 'pause' }), asked({ type: 'resume' })], undefined],
    ['a pause that has come', [begin(1), asked({ type: 'pause' }), end(1), { type: 'paused' }], undefined],
    ['a stop', [begin(1), asked({ type: 'stop' })], 'stops after this iteration, requested by me'],
    [
      'a stop in the delay',
      [begin(1), end(1), asked({ type: 'stop' })],
      'stops before the next iteration, requested by me',
    ],
    [
      'a stop after a pause',
      [begin(1), asked({ type: 'pause' }), asked({ type: 'stop' })],
      'stops after this iteration, requested by me',
    ],
    ['a stop at once', [begin(1), asked({ type: 'stop', now: true })], 'stops now, requested by me'],
  ])('is said: %s', (_, drafts, text) => {
    expect(pendingText(stateAfter(started(), ...drafts))).toBe(text);
  });

  it('of a run that nobody runs happens when it goes on: until then no command reaches it', () => {
    const pausing = stateAfter(started(), begin(1), asked({ type: 'pause' }));
    expect(pendingText(pausing, false)).toMatch(/paused when.*by me.*pawl unpause/);
    expect(pendingText(stateAfter(started(), begin(1), asked({ type: 'stop' })), false)).toMatch(/stops when.*by me/);
  });

  it('of a run that is stopping is that the last hook ends', () => {
    const state = stateAfter(started(), begin(1), end(1), asked({ type: 'stop' }), {
      type: 'hook-started',
      hook: 'on_stop',
    });
    expect(pendingText(state)).toMatch(/by me.*on_stop.*pawl stop --now/);
  });
});

describe('why a run is paused', () => {
  it('is who asked, or what a hook said', () => {
    const paused: Draft = { type: 'paused' };
    expect(pausedText(stateAfter(started(), asked({ type: 'pause' }), paused))).toBe('requested by me');
    const failure = {
      message: 'the hook after_iteration exits with 4: disk quota exceeded',
      leadsTo: 'pause',
    } as const;
    const byHook: Draft = { type: 'hook-ran', hook: 'after_iteration', durationMs: 1, failure };
    expect(pausedText(stateAfter(started(), byHook, paused))).toBe(failure.message);
    expect(pausedText(stateAfter(started(), byHook))).toBeUndefined();
  });
});

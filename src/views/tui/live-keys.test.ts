import { describe, expect, it } from 'vitest';
import { begin, end, started, stateAfter } from '../../../test/support/record.js';
import type { Key } from './keyboard.js';
import { editLine, EMPTY_LINE, visiblePart } from './line-editor.js';
import { type Mode, press, WATCHING } from './live-keys.js';

const working = stateAfter(started(), begin(1));
const asking = stateAfter(started(), { type: 'waiting-started', for: 'approval' });
const key = (text: string): Key => ({ text });
const named = (name: NonNullable<Key['name']>): Key => ({ name });

describe('keys', () => {
  it.each([
    ['p', { type: 'pause' }],
    ['s', { type: 'stop' }],
    ['S', { type: 'stop', now: true }],
    ['k', { type: 'skip' }],
    ['r', { type: 'reboot' }],
    ['a', undefined],
    ['q', undefined],
    ['z', undefined],
  ])('%s while an agent works', (text, command) => {
    expect(press(WATCHING, key(text), working, false)).toMatchObject({ mode: WATCHING });
    expect(press(WATCHING, key(text), working, false).command).toEqual(command);
  });

  it('p goes on after a pause, after a wait, and takes back a pause that is to come', () => {
    const states = [
      stateAfter(started(), { type: 'paused' }),
      stateAfter(started(), { type: 'waiting-started', for: 'usage-limit' }),
      stateAfter(started(), begin(1), { type: 'command-received', command: { type: 'pause' }, by: 'me' }),
    ];
    for (const state of states) expect(press(WATCHING, key('p'), state, false).command).toEqual({ type: 'resume' });
  });

  it('a types the answer to a question of the agent, while it works and while the run waits', () => {
    const drafts = [started(), begin(1), { type: 'question-asked', question: 'q1', text: 'Which?', by: 'a' }] as const;
    const waiting = stateAfter(...drafts, end(1), { type: 'waiting-started', for: 'person' });
    for (const state of [stateAfter(...drafts), waiting]) {
      const { mode } = press(WATCHING, key('a'), state, false);
      expect(mode).toMatchObject({ kind: 'typing', what: 'answer' });
      const typed = press(mode, key('2'), state, false).mode;
      expect(press(typed, named('enter'), state, false).command).toEqual({ type: 'answer', text: '2' });
    }
    expect(press(WATCHING, key('p'), waiting, false).command).toEqual({ type: 'pause' });
  });

  it('approving and rejecting are there only where the run asks', () => {
    expect(press(WATCHING, key('a'), asking, false).command).toEqual({ type: 'approve' });
    expect(press(WATCHING, key('x'), asking, false).mode).toMatchObject({ kind: 'typing', what: 'reject' });
    expect(press(WATCHING, key('x'), working, false).mode).toEqual(WATCHING);
  });

  it('q leaves only where there is something to leave', () => {
    expect(press(WATCHING, key('q'), working, true).leaves).toBe(true);
    expect(press(WATCHING, key('q'), working, false).leaves).toBe(false);
  });

  it('any key closes the help and does nothing else', () => {
    const { mode } = press(WATCHING, key('?'), working, false);
    expect(mode).toEqual({ kind: 'help' });
    expect(press(mode, key('S'), working, false)).toEqual({ mode: WATCHING });
  });

  it('what is typed is no command until it is sent', () => {
    let { mode } = press(WATCHING, key('t'), working, false);
    for (const text of ['S', 'k', ' ', 'q']) ({ mode } = press(mode, key(text), working, true));
    expect(press(mode, named('enter'), working, false)).toEqual({
      mode: WATCHING,
      command: { type: 'steer', text: 'Sk q' },
    });
    expect(press(mode, named('escape'), working, false)).toEqual({ mode: WATCHING });
  });

  it('an empty line sends nothing', () => {
    const mode: Mode = { kind: 'typing', what: 'steer', line: { before: '  ', behind: '' } };
    expect(press(mode, named('enter'), working, false)).toEqual({ mode: WATCHING });
  });
});

describe('the line that is typed', () => {
  const typed = (...keys: readonly Key[]) => keys.reduce(editLine, EMPTY_LINE);

  it('moves and deletes by what people see as a character', () => {
    const line = typed(key('e\u0301'), key('日'), key('👍🏽'), named('left'), named('backspace'));
    expect(line).toEqual({ before: 'e\u0301', behind: '👍🏽' });
    expect(editLine(line, named('delete'))).toEqual({ before: 'e\u0301', behind: '' });
    expect(editLine(line, named('home'))).toEqual({ before: '', behind: 'e\u0301👍🏽' });
    expect(editLine(line, named('end'))).toEqual({ before: 'e\u0301👍🏽', behind: '' });
    expect(editLine(line, named('right'))).toEqual({ before: 'e\u0301👍🏽', behind: '' });
  });

  it('takes pasted text without its control characters and line ends', () => {
    expect(typed(key('a\u001b[2J\nb\tc\u0007')).before).toBe('a b c');
  });

  it('a line end that is pasted does not join two words, in whatever parts it comes', () => {
    expect(typed(key('line1\rline2')).before).toBe('line1 line2');
    expect(typed(key('one'), key('\r'), key('\n'), key('two'), key('\u2028'), key('three')).before).toBe(
      'one two three',
    );
  });

  it('does not grow for ever', () => {
    expect(typed(...Array.from({ length: 300 }, () => key('0123456789'))).before).toHaveLength(2000);
  });

  it('erases a word or the line', () => {
    expect(editLine({ before: 'one two', behind: '' }, named('erase-word'))).toEqual({ before: 'one ', behind: '' });
    expect(editLine({ before: 'one two', behind: '!' }, named('erase-line'))).toEqual({ before: '', behind: '!' });
  });

  it('is shown around the cursor where it is too long', () => {
    const { text, column } = visiblePart({ before: 'x'.repeat(100), behind: 'end' }, 20);
    expect(text).toMatch(/^x+end$/);
    expect(text.length).toBeLessThanOrEqual(20);
    expect(column).toBe(text.length - 3);
  });
});

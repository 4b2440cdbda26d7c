import { describe, expect, it } from 'vitest';
import { begin, started, stateAfter } from '../../test/support/record.js';
import { isStateShape } from './state-shape.js';

const STATE = stateAfter(started(), begin(1));
const SINCE = '2026-01-01T00:00:00.000Z';
const UNTIL = '2026-01-01T01:00:00.000Z';
/** Whether it can be folded on when it is read again. */
const isRead = (change: object) => isStateShape(JSON.parse(JSON.stringify({ ...STATE, ...change })));
const refused = (wait: unknown) => ({ phase: { name: 'resting', refused: { since: SINCE, tries: 2, wait } } });
const asked = (wait: unknown) => ({
  questions: { asked: 1, list: [{ id: 'q1', text: 'Which one?', iteration: 1, askedAt: SINCE }], wait },
});

describe('the snapshot of a run', () => {
  it('is read as it was written', () => {
    expect(isRead({})).toBe(true);
  });

  it.each(['due', 'over', { since: SINCE }, { since: SINCE, until: UNTIL }])(
    'that a usage limit holds up is read, wherever it is in its wait: %j',
    (wait) => {
      expect(isRead(refused(wait))).toBe(true);
    },
  );

  it.each(['never', 7, undefined, {}, { since: 7 }])(
    'that says nothing sensible of its wait for a limit is not read: %j',
    (wait) => {
      expect(isRead(refused(wait))).toBe(false);
    },
  );

  it.each([undefined, 'over', { since: SINCE }, { since: SINCE, until: UNTIL }])(
    'that waits for an answer, or no more, is read: %j',
    (wait) => {
      expect(isRead(asked(wait))).toBe(true);
    },
  );

  it.each(['due', 7, {}, { since: 7 }])('that says nothing sensible of its wait for an answer is not: %j', (wait) => {
    expect(isRead(asked(wait))).toBe(false);
  });

  it.each([{}, { name: 7 }, { name: ['idle'] }, { name: 'toString' }, { name: 'later' }, 'idle', null])(
    'in a phase that nobody knows is not read: %j',
    (phase) => {
      expect(isRead({ phase })).toBe(false);
    },
  );
});

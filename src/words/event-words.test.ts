import { expect, it } from 'vitest';
import { record } from '../../test/support/record.js';
import type { NewEvent } from '../model/run-event.js';
import { eventWords } from './event-words.js';

it.each([
  [{ outcome: 'completed' }, 'completed in 4s'],
  [{ outcome: 'interrupted', interruption: 'operator' }, 'interrupted by the operator after 4s'],
  [{ outcome: 'failed' }, 'failed after 4s'],
] as const)('an iteration that did not come to its end ends after a time, not in it (%#)', (outcome, label) => {
  const ended = { type: 'iteration-ended', iteration: 1, durationMs: 4000, observation: {}, ...outcome } as NewEvent;
  expect(record([ended]).map((event) => eventWords(event).label)).toEqual([label]);
});

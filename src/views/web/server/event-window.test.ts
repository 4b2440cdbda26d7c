import { expect, it } from 'vitest';
import type { RunEvent } from '../../../model/run-event.js';
import { EventWindow } from './run-details.js';

function said(seq: number, text = ''): RunEvent {
  return { v: 1, seq, at: '', activeMs: 0, type: 'agent-said', text };
}

it('keeps the newest, and says how many are left out', () => {
  const window = new EventWindow();
  for (let seq = 1; seq <= 9000; seq += 1) window.add(said(seq));
  const { events, omitted } = window.end();
  expect(omitted).toBe(7000);
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 2000 }, (_, index) => 7001 + index));
});

it('long texts count for more', () => {
  const window = new EventWindow();
  for (let seq = 1; seq <= 40; seq += 1) window.add(said(seq, 'x'.repeat(1024 * 1024)));
  const { events, omitted } = window.end();
  expect(events.length + omitted).toBe(40);
  expect(events.length).toBeLessThanOrEqual(8);
  expect(events.at(-1)?.seq).toBe(40);
});

it('one that is longer than all that is sent is sent all the same', () => {
  const window = new EventWindow();
  window.add(said(1, 'x'.repeat(20 * 1024 * 1024)));
  expect(window.end().events).toHaveLength(1);
});

it('ticks are read by nobody', () => {
  const window = new EventWindow();
  window.add({ v: 1, seq: 1, at: '', activeMs: 0, type: 'tick' });
  expect(window.end()).toEqual({ events: [], omitted: 0 });
});

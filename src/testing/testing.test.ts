import { describe, expect, it } from 'vitest';
import { crashingJournal, manualClock, memoryJournal, SimulatedCrash } from './index.js';

describe('manualClock', () => {
  it('stands still until it is told to go on', () => {
    const clock = manualClock('2026-01-01T00:00:00Z');
    clock.advance(5000);
    expect(new Date(clock.now()).toISOString()).toBe('2026-01-01T00:00:05.000Z');
    clock.set(0);
    expect(clock.now()).toBe(0);
  });
});

describe('crashingJournal', () => {
  it.each([
    ['before', 2],
    ['after', 3],
  ] as const)('dies %s the append and stays dead', async (when, kept) => {
    const inside = memoryJournal({ now: manualClock().now });
    const journal = crashingJournal(inside, { append: 3, when });
    const heard: number[] = [];
    journal.subscribe((event) => heard.push(event.seq));
    journal.append({ type: 'tick' }, 1);
    journal.append({ type: 'tick' }, 1);
    expect(() => journal.append({ type: 'paused' }, 1)).toThrow(SimulatedCrash);
    expect(() => journal.append({ type: 'tick' }, 1)).toThrow(`simulated crash ${when} append 3`);
    expect(inside.events).toHaveLength(kept);
    expect(heard).toHaveLength(kept);
    expect(journal.state.seq).toBe(kept);
    expect(journal.diskFull).toBe(false);
    const read = [];
    for await (const event of journal.read(2)) read.push(event.seq);
    expect(read).toEqual([2, 3].slice(0, kept - 1));
    await journal.close();
  });
});

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import type { Journal } from '../../src/journal/journal.js';
import { createRedactor, type Redactor } from '../../src/journal/redact.js';
import { canonicalJson } from '../../src/model/json.js';
import { reduceAll } from '../../src/model/reduce.js';
import type { NewEvent, RunEvent } from '../../src/model/run-event.js';
import { anyEvent } from './arbitrary-event.js';
import { realisticEvents } from './realistic-events.js';

export interface JournalSettings {
  readonly now: () => number;
  readonly onListenerError: (error: unknown) => void;
  readonly redactor?: Redactor;
}

/** A place where one journal is kept. */
export interface JournalHarness {
  /** The journal of a new run the first time, then the same one again. */
  open(settings: JournalSettings): Promise<Journal>;
  dispose(): Promise<void>;
}

/** What every implementation of the journal port must do. */
export function journalContract(name: string, makeHarness: (context: TestContext) => Promise<JournalHarness>): void {
  describe(`journal contract: ${name}`, () => {
    let harness: JournalHarness;
    let journal: Journal;
    let timeMs: number;
    let listenerErrors: unknown[];
    const settings = (): JournalSettings => ({
      now: () => timeMs,
      onListenerError: (error) => listenerErrors.push(error),
    });
    const reopen = async (): Promise<Journal> => {
      await journal.close();
      journal = await harness.open(settings());
      return journal;
    };

    beforeEach(async (context) => {
      timeMs = Date.parse('2026-03-01T12:00:00.000Z');
      listenerErrors = [];
      harness = await makeHarness(context);
      journal = await harness.open(settings());
    });

    afterEach(async () => {
      await journal.close();
      await harness.dispose();
    });

    it('numbers events from 1 and stamps version, wall time and active time on them', () => {
      journal.append({ type: 'tick' }, 5);
      timeMs += 1500;
      const event = journal.append({ type: 'paused', reason: 'lunch' }, 7.5);
      expect(event).toEqual({
        v: 1,
        seq: 2,
        at: '2026-03-01T12:00:01.500Z',
        activeMs: 7.5,
        type: 'paused',
        reason: 'lunch',
      });
    });

    it('has folded an event when append returns', () => {
      const events = realisticEvents(40).map((event, index) => journal.append(event, index));
      expect(journal.state).toEqual(reduceAll(events));
      expect(journal.diskFull).toBe(false);
    });

    it('brings any event back as it was', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyEvent, { maxLength: 8 }), async (events) => {
          const before = journal.state.seq;
          const returned = events.map((event) => journal.append(event, 1));
          const read = await collect(journal.read(before + 1));
          expect(read).toEqual(returned);
          expect(read.map(bodyOf)).toEqual(events.map((event) => JSON.parse(JSON.stringify(event)) as NewEvent));
        }),
        { numRuns: fc.readConfigureGlobal().numRuns ?? 60 },
      );
    });

    it('goes on after a reopening with the same state and the next number', async () => {
      for (const event of realisticEvents(30)) journal.append(event, 1);
      const before = journal.state;
      await reopen();
      expect(canonicalJson(journal.state)).toBe(canonicalJson(before));
      expect(journal.append({ type: 'tick' }, 2).seq).toBe(31);
      await reopen();
      expect((await collect(journal.read())).map((event) => event.seq)).toEqual(range(31));
    });

    it('gives the same state for the same record, however often it was reopened', async () => {
      for (const [index, event] of realisticEvents(25).entries()) {
        journal.append(event, index);
        if (index % 6 === 0) await reopen();
      }
      const read = await collect(journal.read());
      expect(canonicalJson(journal.state)).toBe(canonicalJson(reduceAll(read)));
    });

    it('reads from a number on', async () => {
      for (const event of realisticEvents(10)) journal.append(event, 1);
      expect((await collect(journal.read(8))).map((event) => event.seq)).toEqual([8, 9, 10]);
      expect(await collect(journal.read(11))).toEqual([]);
    });

    it('reads what was recorded before the call, while more is appended', async () => {
      for (const event of realisticEvents(10)) journal.append(event, 1);
      const reading = collect(journal.read());
      journal.append({ type: 'tick' }, 1);
      const seqs = (await reading).map((event) => event.seq);
      expect(seqs.slice(0, 10)).toEqual(range(10));
    });

    it('tells each listener each event once, in order, with the state after it', () => {
      const heard: number[] = [];
      const stop = journal.subscribe((event, state) => {
        expect(state.seq).toBe(event.seq);
        heard.push(event.seq);
      });
      journal.append({ type: 'tick' }, 1);
      journal.append({ type: 'tick' }, 2);
      stop();
      journal.append({ type: 'tick' }, 3);
      expect(heard).toEqual([1, 2]);
    });

    it('keeps the order for all listeners when one of them appends', () => {
      const heard: number[] = [];
      journal.subscribe((event) => {
        if (event.seq < 3) journal.append({ type: 'tick' }, 1);
      });
      journal.subscribe((event) => heard.push(event.seq));
      journal.append({ type: 'tick' }, 1);
      expect(heard).toEqual([1, 2, 3]);
    });

    it('drops a listener that throws, reports it, and records the event all the same', () => {
      let calls = 0;
      const heard: number[] = [];
      journal.subscribe(() => {
        calls += 1;
        throw new Error('a broken view');
      });
      journal.subscribe((event) => heard.push(event.seq));
      journal.append({ type: 'tick' }, 1);
      expect(journal.append({ type: 'tick' }, 1).seq).toBe(2);
      expect(calls).toBe(1);
      expect(heard).toEqual([1, 2]);
      expect(listenerErrors).toEqual([new Error('a broken view')]);
    });

    it('records an event as it was when it was appended', async () => {
      const event = { type: 'agent-said' as const, text: 'before' };
      journal.append(event, 1);
      event.text = 'after';
      expect((await collect(journal.read())).map(bodyOf)).toEqual([{ type: 'agent-said', text: 'before' }]);
    });

    it('does not let an event bring its own envelope', () => {
      const recorded = journal.append({ type: 'tick' }, 1);
      const again = journal.append(recorded, 2);
      expect(again).toEqual({ ...recorded, seq: 2, activeMs: 2 });
    });

    it('leaves nothing behind of an event that cannot be recorded', async () => {
      const circular: { type: 'tick'; self?: unknown } = { type: 'tick' };
      circular.self = circular;
      expect(() => journal.append(circular, 1)).toThrow(TypeError);
      expect(() => journal.append({ type: 'tick' }, Number.NaN)).toThrow(TypeError);
      expect(journal.state.seq).toBe(0);
      expect(journal.append({ type: 'tick' }, 1).seq).toBe(1);
      expect(await collect(journal.read())).toHaveLength(1);
    });

    it('keeps secrets out of the record, the state and the ears of listeners', async () => {
      await journal.close();
      const redactor = createRedactor({ API_TOKEN: 'hunter2-hunter2' });
      journal = await harness.open({ ...settings(), redactor });
      const heard: RunEvent[] = [];
      journal.subscribe((event) => heard.push(event));
      journal.append({ type: 'error-seen', kind: 'auth', message: 'bad key hunter2-hunter2', fingerprint: 'f' }, 1);
      const everything = JSON.stringify([heard, journal.state, await collect(journal.read())]);
      expect(everything).not.toContain('hunter2');
      expect(everything).toContain('[API_TOKEN]');
    });

    it('refuses to append after it was closed', async () => {
      journal.append({ type: 'tick' }, 1);
      await journal.close();
      await journal.close();
      expect(() => journal.append({ type: 'tick' }, 1)).toThrow(/closed/);
      expect(await collect(journal.read())).toHaveLength(1);
    });
  });
}

async function collect(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function bodyOf({ v: _v, seq: _seq, at: _at, activeMs: _activeMs, ...body }: RunEvent): object {
  return body;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

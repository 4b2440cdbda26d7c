import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScratchSource } from './support/scratch-source.js';

const EVENTS = 'src/model/run-event.ts';
const REDUCER = 'src/model/reduce.ts';
const WORDS = 'src/words/event-words.ts';

/** Everything that reads, folds, cleans and shows an event. */
const SHOWN = `
import { encodeRecord, RecordScanner } from './src/journal/record-scanner.js';
import { reduceAll } from './src/model/reduce.js';
import { INITIAL_STATE } from './src/model/run-state.js';
import { createExportCleaner } from './src/views/text/export/export-cleaner.js';
import { finishedLines } from './src/views/text/finished-lines.js';
import { eventLines } from './src/views/text/event-lines.js';
import { eventWords } from './src/words/event-words.js';
import { NOTHING_VIEWED, ViewFold } from './src/views/web/wire/run-view.js';

const scan = (event) => {
  const { line } = encodeRecord(event, { seq: 1, at: '2026-03-01T00:00:00.000Z', activeMs: 5 });
  return new RecordScanner({ path: 'journal.jsonl' }).feed(line);
};
const events = scan({ type: 'coffee-brewed', cups: 2, by: 'pawl brew (pid 12)', note: 'strong' });
const [event] = events;
const view = new ViewFold(NOTHING_VIEWED);
view.add(event);
const fold = { before: INITIAL_STATE, after: reduceAll(events) };
const terminal = { columns: 80, isScreen: false, style: (_style, text) => text };
const cleaned = (isWithoutText) => createExportCleaner({ environment: {}, isWithoutText }).event(event, fold.after.policy);

export const state = fold.after;
export const marks = view.view.marks;
export const shown = { words: eventWords(event), lines: eventLines(event, fold, terminal), kept: finishedLines(event, fold, terminal) };
export const exported = { whole: cleaned(false), withoutText: cleaned(true) };
export const readForged = () => scan({ type: 'coffee-brewed', cups: 'two', by: 'x' });
`;

interface Shown {
  readonly state: { readonly seq: number };
  readonly marks: readonly object[];
  readonly shown: object;
  readonly exported: { readonly whole: object; readonly withoutText: object };
  readonly readForged: () => unknown;
}

describe('a new event', { timeout: 300_000 }, () => {
  let source: ScratchSource;
  let brokenAtFirst: readonly string[];
  beforeAll(() => {
    source = new ScratchSource();
    source.insertBefore(
      EVENTS,
      '\n}\n\nexport type EventType',
      `\n  'coffee-brewed': { readonly cups: number; readonly by: string; readonly note?: string | undefined };`,
    );
    source.insertBefore(
      EVENTS,
      '  paused: synced(',
      `  'coffee-brewed': synced(LIVE, { cups: number, by: requester, note: maybe(prose) }, { listed: 'run' }),\n`,
    );
    brokenAtFirst = source.brokenFiles();
    source.insertBefore(REDUCER, '  tick: same', `  'coffee-brewed': same,\n`);
    source.insertBefore(
      WORDS,
      '  paused: {',
      `  'coffee-brewed': { says: ({ cups, note }) => words(plural(cups, 'cup'), note), terminal: 'line' },\n`,
    );
  }, 300_000);
  afterAll(() => source.remove());

  it('takes three files, and the compiler names the two that are missing', () => {
    expect(brokenAtFirst).toEqual([REDUCER, WORDS]);
    expect(source.brokenFiles()).toEqual([]);
    expect(source.touched).toEqual({ byHand: [REDUCER, EVENTS, WORDS], made: [] });
  });

  it('is then read, folded, listed, shown and exported', async () => {
    const { state, marks, shown, exported, readForged } = await source.load<Shown>(SHOWN);
    expect(state.seq).toBe(1);
    expect(marks).toMatchObject([{ type: 'coffee-brewed' }]);
    const line = ['  2 cups: strong'];
    expect(shown).toEqual({ words: { label: '2 cups', text: 'strong', tone: 'dim' }, lines: line, kept: line });
    expect(exported.whole).toMatchObject({ cups: 2, by: 'pawl brew', note: 'strong' });
    expect(exported.withoutText).not.toHaveProperty('note');
    expect(readForged).toThrow('whose cups is not valid');
  });
});

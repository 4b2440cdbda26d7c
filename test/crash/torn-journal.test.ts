import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealLine } from '../../src/journal/record-scanner.js';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import { JournalDamaged } from '../../src/model/errors.js';
import { canonicalJson } from '../../src/model/json.js';
import { reduceAll } from '../../src/model/reduce.js';
import type { NewEvent, RunEvent } from '../../src/model/run-event.js';
import { anyEvent } from '../contract/arbitrary-event.js';
import { realisticEvents } from '../contract/realistic-events.js';
import { FULL } from '../support/full-form.js';
import { eventsIn, lineEnds, recordOf, type ScratchRun, scratchRun } from './scratch-run.js';

const MANY = 300;
const FEW = 5;

let scratch: ScratchRun;
let bytes: Buffer;
let ends: readonly number[];
let events: readonly RunEvent[];

beforeAll(async () => {
  scratch = scratchRun();
  bytes = await recordOf(scratch, realisticEvents(MANY));
  ends = lineEnds(bytes);
  events = await eventsIn(scratch.path);
});

afterAll(() => scratch.dispose());

/** Opens what a crash left and checks that it holds the first `whole` records, says what it cut, and goes on. */
async function expectRecovered(left: Buffer, whole: number): Promise<void> {
  scratch.leave(left);
  const journal = scratch.open();
  const cutFrom = whole === 0 ? 0 : (ends[whole - 1] ?? 0);
  expect(journal.state.seq).toBe(whole);
  if (cutFrom === left.length) expect(journal.recovered).toBeUndefined();
  else {
    expect(journal.recovered).toMatchObject({ line: whole + 1, bytes: left.length - cutFrom });
    expect(readFileSync(journal.recovered?.savedTo ?? '').equals(left.subarray(cutFrom))).toBe(true);
  }
  expect(journal.append({ type: 'resumed' }, 1).seq).toBe(whole + 1);
  await journal.close();
  const after = readFileSync(scratch.path);
  expect(after.subarray(0, cutFrom).equals(bytes.subarray(0, cutFrom))).toBe(true);
  expect((await verifyJournal(scratch.path)).events).toBe(whole + 1);
}

function wholeRecordsIn(length: number): number {
  return ends.filter((end) => end <= length).length;
}

function expectDamaged(left: Buffer, line: number): void {
  scratch.leave(left);
  const refusal = refusalOf(() => scratch.open());
  expect(refusal).toBeInstanceOf(JournalDamaged);
  expect(String(refusal)).toContain(`journal.jsonl:${line}: `);
  expect(readFileSync(scratch.path).equals(left)).toBe(true);
}

function refusalOf(open: () => unknown): unknown {
  try {
    open();
    return undefined;
  } catch (error) {
    return error;
  }
}

function flipped(at: number, mask: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
}

/** Of the bytes of all records one in so many, outside of the full form. */
const SPARSE = 997;

describe('a journal torn by a crash', () => {
  it(`keeps exactly the whole records when it is cut at every byte`, async () => {
    const every = FULL ? bytes.length : (ends[FEW - 1] ?? 0);
    for (let length = 0; length <= every; length += 1) {
      await expectRecovered(bytes.subarray(0, length), wholeRecordsIn(length));
    }
  }, 1_800_000);

  it('keeps exactly the whole records when it is cut around every line of a long record', async () => {
    for (const end of ends.slice(0, -1)) {
      for (const length of [end - 1, end, end + 1]) {
        if (!FULL && end % 5 !== 0) continue;
        await expectRecovered(bytes.subarray(0, length), wholeRecordsIn(length));
      }
    }
  }, 600_000);

  it('gives the state of the kept records', async () => {
    for (const whole of [0, 1, 9, 10, 150, MANY]) {
      scratch.leave(bytes.subarray(0, (ends[whole] ?? bytes.length + 1) - 1));
      const journal = scratch.open();
      expect(canonicalJson(journal.state)).toBe(canonicalJson(reduceAll(events.slice(0, whole))));
      await journal.close();
    }
  });

  it('cuts off a last record in which any byte has changed', async () => {
    const from = ends[MANY - 2] ?? 0;
    for (let at = from; at < bytes.length; at += 1) {
      for (const mask of FULL ? [1, 2, 4, 8, 16, 32, 64, 128, 255] : [0x20]) {
        await expectRecovered(flipped(at, mask), MANY - 1);
      }
    }
  }, 600_000);

  it('names the line of a middle record in which any byte has changed, and changes nothing', () => {
    for (const line of [1, 150, MANY - 1]) {
      const from = line === 1 ? 0 : (ends[line - 2] ?? 0);
      for (let at = from; at < (ends[line - 1] ?? 0); at += 1) {
        for (const mask of FULL ? [1, 2, 4, 8, 16, 32, 64, 128, 255] : [0x01, 0x20])
          expectDamaged(flipped(at, mask), line);
      }
    }
  }, 600_000);

  it('names the line of every record in which any byte has changed', () => {
    let line = 1;
    for (let at = 0; at < (ends[MANY - 2] ?? 0); at += 1) {
      if (at === ends[line - 1]) line += 1;
      if (FULL || at % SPARSE === 0) expectDamaged(flipped(at, 1 << (at % 8)), line);
    }
  }, 1_800_000);

  it('cuts off a tail of zeros, of noise, and of noise with line ends', async () => {
    const noise = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 251));
    for (const tail of [Buffer.alloc(1), Buffer.alloc(4096), Buffer.from('\n'), Buffer.from('{}\n\n{}\n'), noise]) {
      await expectRecovered(Buffer.concat([bytes, tail]), MANY);
    }
  });

  it('cuts off zeros that took the place of the last records', async () => {
    for (const lost of [1, 2, 3]) {
      const left = Buffer.from(bytes).fill(0, ends[MANY - lost - 1]);
      await expectRecovered(left, MANY - lost);
    }
  });

  it('cuts off a tail that stands there twice, whole or in part', async () => {
    for (const repeated of [1, 3, 20]) {
      const tail = bytes.subarray(ends[MANY - repeated - 1]);
      await expectRecovered(Buffer.concat([bytes, tail]), MANY);
      await expectRecovered(Buffer.concat([bytes, tail.subarray(0, -7)]), MANY);
    }
  });

  it('names the line when a record is missing in the middle', () => {
    expectDamaged(Buffer.concat([bytes.subarray(0, ends[9]), bytes.subarray(ends[10])]), 11);
  });

  it('names the line when a middle record stands there twice', () => {
    const again = bytes.subarray(ends[8], ends[9]);
    expectDamaged(Buffer.concat([bytes.subarray(0, ends[9]), again, bytes.subarray(ends[9])]), 11);
  });

  it('reads, but does not change, a journal whose last line is being written', async () => {
    const left = bytes.subarray(0, bytes.length - 5);
    scratch.leave(left);
    expect(await eventsIn(scratch.path)).toHaveLength(MANY - 1);
    const verified = await verifyJournal(scratch.path);
    expect(verified).toMatchObject({ events: MANY - 1, torn: { line: MANY, incomplete: true } });
    expect(readFileSync(scratch.path).equals(left)).toBe(true);
  });

  it('tells a reader of a bad last line instead of passing over it', async () => {
    scratch.leave(flipped(bytes.length - 30, 1));
    await expect(eventsIn(scratch.path)).rejects.toThrow(new RegExp(`journal.jsonl:${MANY}: .*checksum`));
  });

  it('opens any beginning of any journal with exactly the whole records in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 6 }), fc.double({ min: 0, max: 1, noNaN: true }), expectPrefix),
      { numRuns: FULL ? 2000 : 60 },
    );
  }, 600_000);
});

async function expectPrefix(made: readonly NewEvent[], part: number): Promise<void> {
  const other = scratchRun();
  try {
    const whole = await recordOf(other, made);
    const recorded = await eventsIn(other.path);
    const length = Math.round(whole.length * part);
    other.leave(whole.subarray(0, length));
    const journal = other.open();
    const kept = lineEnds(whole).filter((end) => end <= length).length;
    expect(canonicalJson(journal.state)).toBe(canonicalJson(reduceAll(recorded.slice(0, kept))));
    await journal.close();
    expect(await eventsIn(other.path)).toEqual(recorded.slice(0, kept));
  } finally {
    other.dispose();
  }
}

describe('a journal from which whole records were taken', () => {
  it('says so, because its snapshot remembers them, and keeps the snapshot', async () => {
    const run = scratchRun();
    try {
      const bytes = await recordOf(run, realisticEvents(40));
      const snapshot = readFileSync(join(run.folder, 'state.json'));
      const [first = 0] = lineEnds(bytes);
      for (const left of [0, first, first + 5]) {
        run.leave(bytes.subarray(0, left), snapshot);
        const journal = run.open();
        const records = left === 0 ? 0 : 1;
        expect(journal.state.seq).toBe(records);
        expect(journal.recovered).toMatchObject({ line: records + 1, lostRecords: lineEnds(bytes).length - records });
        await journal.close();
      }
    } finally {
      run.dispose();
    }
  });

  it('is opened without a word when nothing is missing', async () => {
    const run = scratchRun();
    try {
      await recordOf(run, realisticEvents(10));
      const journal = run.open();
      expect(journal.recovered).toBeUndefined();
      await journal.close();
    } finally {
      run.dispose();
    }
  });

  it('is folded anew when the snapshot is no state', async () => {
    const run = scratchRun();
    try {
      const bytes = await recordOf(run, realisticEvents(10));
      const snapshot = JSON.parse(readFileSync(join(run.folder, 'state.json'), 'utf8'));
      delete snapshot.sum;
      run.leave(bytes, sealLine(JSON.stringify({ ...snapshot, state: { seq: snapshot.seq } })));
      const journal = run.open();
      expect(journal.append({ type: 'tick' }, 1).seq).toBe(snapshot.seq + 1);
      await journal.close();
    } finally {
      run.dispose();
    }
  });
});

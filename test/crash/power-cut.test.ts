import * as fs from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type Disk, NODE_DISK } from '../../src/journal/disk.js';
import type { FileJournal } from '../../src/journal/file-journal.js';
import { EVENT_TYPES, type RunEvent } from '../../src/model/run-event.js';
import { realisticEvents } from '../contract/realistic-events.js';
import { FULL } from '../support/full-form.js';
import { eventsIn, type ScratchRun, scratchRun } from './scratch-run.js';

let scratch: ScratchRun | undefined;
afterEach(() => scratch?.dispose());

interface Write {
  readonly at: number;
  readonly bytes: Buffer;
}

/** What was written to the journal since its last sync, at the moment of each write. */
interface Moment {
  readonly synced: Buffer;
  readonly unsynced: readonly Write[];
  /** Events whose append has returned as a boundary. */
  readonly durable: number;
  /** `state.json` at that moment. */
  readonly snapshot: Buffer;
}

/** A disk that notes, for each write to the journal, what a loss of power could leave of it. */
function notingDisk(path: string, durable: () => number): { readonly disk: Disk; readonly moments: readonly Moment[] } {
  const moments: Moment[] = [];
  let synced = Buffer.alloc(0);
  let unsynced: Write[] = [];
  const isJournal = (descriptor: number) =>
    fs.statSync(path, { throwIfNoEntry: false })?.ino === fs.fstatSync(descriptor).ino;
  const disk: Disk = {
    ...NODE_DISK,
    writeSync: ((descriptor: number, bytes: Uint8Array, from: number, length: number, at: number) => {
      if (isJournal(descriptor)) {
        unsynced.push({ at, bytes: Buffer.from(bytes.subarray(from, from + length)) });
        const snapshot = fs.readFileSync(path.replace('journal.jsonl', 'state.json'));
        moments.push({ synced, unsynced: [...unsynced], durable: durable(), snapshot });
      }
      return fs.writeSync(descriptor, bytes, from, length, at);
    }) as Disk['writeSync'],
    fdatasyncSync(descriptor) {
      fs.fdatasyncSync(descriptor);
      if (!isJournal(descriptor)) return;
      synced = fs.readFileSync(path);
      unsynced = [];
    },
  };
  return { disk, moments };
}

/** The synced bytes, with a choice of the later writes; what was dropped before a kept one is zeros. */
function afterPowerCut({ synced, unsynced }: Moment, isKept: (index: number) => boolean, cutLast: number): Buffer {
  let left = Buffer.from(synced);
  for (const [index, { at, bytes }] of unsynced.entries()) {
    if (!isKept(index)) continue;
    const part = index === unsynced.length - 1 ? bytes.subarray(0, bytes.length - cutLast) : bytes;
    const longer = Buffer.alloc(Math.max(left.length, at + part.length));
    left.copy(longer);
    part.copy(longer, at);
    left = longer;
  }
  return left;
}

describe('a loss of power', () => {
  it('loses no boundary, whatever becomes of the writes after it', async () => {
    const run = scratchRun();
    scratch = run;
    let durable = 0;
    const { disk, moments } = notingDisk(run.path, () => durable);
    const journal = run.create({ disk });
    const recorded: RunEvent[] = [];
    for (const event of realisticEvents(FULL ? 120 : 40)) {
      recorded.push(journal.append(event, 1));
      if (EVENT_TYPES[event.type].synced) durable = journal.state.seq;
    }
    await journal.close();
    let states = 0;
    for (const moment of moments) {
      // The newest writes in every combination; what is older reached the disk.
      const { length } = moment.unsynced;
      const varied = Math.min(length, FULL ? 7 : 3);
      const seen = new Set<string>();
      for (let choice = 0; choice < 2 ** varied; choice += 1) {
        for (const cutLast of [0, 1, 30]) {
          const left = afterPowerCut(
            moment,
            (index) => index < length - varied || ((choice >> (length - 1 - index)) & 1) === 1,
            cutLast,
          );
          states += 1;
          // A write that was dropped leaves the same, however much of it is cut.
          const bytes = left.toString('latin1');
          if (seen.has(bytes)) continue;
          seen.add(bytes);
          run.leave(left, moment.snapshot);
          await expectKept(run.open(), run, recorded, moment.durable);
          run.leave(left);
          const opened = openOrNamed(run, moment.durable);
          if (opened !== undefined) await expectKept(opened, run, recorded, moment.durable);
        }
      }
    }
    expect(states).toBeGreaterThan(FULL ? 5000 : 500);
  }, 600_000);
});

/** Without its snapshot a journal with a hole is not opened; the hole is named, and lies behind every boundary. */
function openOrNamed(run: ScratchRun, durable: number): FileJournal | undefined {
  try {
    return run.open();
  } catch (error) {
    expect(error).toMatchObject({ code: 'JournalDamaged' });
    expect((error as { line: number }).line).toBeGreaterThan(durable);
    return undefined;
  }
}

async function expectKept(
  journal: FileJournal,
  run: ScratchRun,
  recorded: readonly RunEvent[],
  durable: number,
): Promise<void> {
  expect(journal.state.seq).toBeGreaterThanOrEqual(durable);
  await journal.close();
  const found = await eventsIn(run.path);
  expect(found).toEqual(recorded.slice(0, found.length));
}

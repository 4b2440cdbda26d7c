import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FileJournal } from '../../src/journal/file-journal.js';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import { FileSystemError, PawlError } from '../../src/model/errors.js';
import type { NewEvent, RunEvent } from '../../src/model/run-event.js';
import { realisticEvents } from '../contract/realistic-events.js';
import { FULL } from '../support/full-form.js';
import { FAULTS, type FaultPlan, type FaultyDisk, faultyDisk } from './faulty-disk.js';
import { DEAD_PROCESS, eventsIn, lineEnds, type ScratchRun, scratchRun } from './scratch-run.js';

const EVENTS: readonly NewEvent[] = [
  ...realisticEvents(FULL ? 21 : 3),
  { type: 'run-ended', state: 'stopped', reasons: [], class: 'limit' },
];

let scratch: ScratchRun | undefined;

afterEach(() => scratch?.dispose());

interface Attempt {
  readonly returned: readonly RunEvent[];
  readonly heard: readonly RunEvent[];
  readonly errors: readonly unknown[];
  readonly diskFull: boolean;
}

/** Writes a whole run, going on after each refusal, as a runner that wants to record its end would. */
async function writeRun(open: () => FileJournal): Promise<Attempt> {
  const returned: RunEvent[] = [];
  const heard: RunEvent[] = [];
  const errors: unknown[] = [];
  const attempt = <T>(step: () => T): T | undefined => {
    try {
      return step();
    } catch (error) {
      errors.push(error);
      return undefined;
    }
  };
  const journal = attempt(open);
  if (journal === undefined) return { returned, heard, errors, diskFull: false };
  journal.subscribe((event) => heard.push(event));
  for (const event of EVENTS) {
    const recorded = attempt(() => journal.append(event, 1));
    if (recorded !== undefined) returned.push(recorded);
  }
  const { diskFull } = journal;
  await journal.close().catch((error: unknown) => errors.push(error));
  return { returned, heard, errors, diskFull };
}

/** Nothing that was reported as recorded is lost, nothing that was not appended is there, and it can go on. */
async function expectSound(run: ScratchRun, before: readonly RunEvent[], attempt: Attempt): Promise<void> {
  for (const error of attempt.errors) expect(error).toBeInstanceOf(PawlError);
  expect(attempt.heard).toEqual(attempt.returned);
  const journal = run.open();
  const found = await eventsIn(journal.path);
  expect(found.slice(0, before.length)).toEqual(before);
  const added = found.slice(before.length);
  expect(added.slice(0, attempt.returned.length)).toEqual(attempt.returned);
  expect(added.length - attempt.returned.length).toBeLessThanOrEqual(1);
  for (const event of added) expect(EVENTS.map((each) => each.type)).toContain(event.type);
  expect(journal.append({ type: 'resumed' }, 1).seq).toBe(found.length + 1);
  await journal.close();
  expect((await verifyJournal(journal.path)).torn).toBeUndefined();
}

type Case = Omit<FaultPlan, 'call'> & { readonly firstCall: number };

/** Outside of the full form a fault meets the odd calls for good and the even ones once, or the other way round. */
const STEP = FULL ? 1 : 2;

/** Fails one call after the other, until a run comes through without reaching the fault. */
async function sweep({ firstCall, ...plan }: Case, round: (faulty: FaultyDisk) => Promise<void>): Promise<number> {
  for (let call = firstCall; ; call += STEP) {
    const faulty = faultyDisk({ ...plan, call });
    await round(faulty);
    if (!faulty.failed()) return call;
    expect(call).toBeLessThan(5000);
  }
}

const CASES: readonly Case[] = FAULTS.flatMap((errno, index) => [
  { errno, sticky: false, firstCall: 1 + (index % STEP) },
  { errno, sticky: true, firstCall: 1 + ((index + 1) % STEP) },
]);

describe.each(CASES)('$errno at every disk call (for good: $sticky)', (plan) => {
  it('leaves a sound journal when a new run is written', async () => {
    const calls = await sweep(plan, async (faulty) => {
      const run = scratchRun();
      scratch = run;
      const attempt = await writeRun(() => run.create({ disk: faulty.disk, self: DEAD_PROCESS }));
      faulty.die();
      const exists = attempt.returned.length > 0 || fileExists(run.path);
      if (exists) await expectSound(run, [], attempt);
      else expect(attempt.errors.length).toBeGreaterThan(0);
      if (!faulty.failed()) expect(attempt.errors).toEqual([]);
      run.dispose();
    });
    expect(calls).toBeGreaterThan(30);
  }, 600_000);
});

/** On recovery the faults differ little: the quick form takes the two that mean most. */
const RECOVERY_CASES = CASES.filter(({ errno }) => FULL || errno === 'EIO' || errno === 'ENOSPC');

describe.each(RECOVERY_CASES)('$errno at every disk call of a recovery (for good: $sticky)', (plan) => {
  it('leaves a sound journal when a torn one is recovered', async () => {
    const { bytes, before } = await tornRecord();
    const calls = await sweep(plan, async (faulty) => {
      const run = scratchRun();
      scratch = run;
      run.leave(bytes);
      const attempt = await writeRun(() => run.open({ disk: faulty.disk, self: DEAD_PROCESS }));
      faulty.die();
      await expectSound(run, before, attempt);
      run.dispose();
    });
    expect(calls).toBeGreaterThan(30);
  }, 600_000);
});

async function tornRecord(): Promise<{ readonly bytes: Buffer; readonly before: readonly RunEvent[] }> {
  const run = scratchRun();
  const journal = run.create();
  for (const event of realisticEvents(6)) journal.append(event, 1);
  await journal.close();
  const before = (await eventsIn(run.path)).slice(0, 5);
  const whole = readFileSync(run.path);
  run.dispose();
  return { bytes: whole.subarray(0, (lineEnds(whole)[5] ?? 0) - 9), before };
}

function fileExists(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

describe('a sync that fails', () => {
  it.each(['fdatasyncSync', 'fdatasync'] as const)('is fatal and never tried again (%s)', async (name) => {
    const run = scratchRun();
    scratch = run;
    const healthy = run.create();
    await healthy.close();
    let syncs = 0;
    const faulty = faultyDisk({
      call: 1,
      errno: 'EIO',
      sticky: false,
      only: (called) => {
        if (called === name) syncs += 1;
        return called === name && syncs > (name === 'fdatasyncSync' ? 1 : 0);
      },
    });
    const journal = run.open({ disk: faulty.disk, self: DEAD_PROCESS });
    if (name === 'fdatasyncSync') {
      expect(() => journal.append({ type: 'paused' }, 1)).toThrow(FileSystemError);
    } else {
      journal.append({ type: 'tick' }, 1);
      const next = () => journal.append({ type: 'tick' }, 1);
      await vi.waitFor(() => expect(next).toThrow(/a sync failed before/), { timeout: 60_000, interval: 20 });
    }
    const syncsBefore = syncs;
    for (const type of ['tick', 'resumed', 'tick'] as const) {
      expect(() => journal.append({ type }, 1)).toThrow(/a sync failed before .*EIO.* may be lost/);
    }
    await expect(journal.close()).rejects.toThrow(FileSystemError);
    expect(syncs).toBe(syncsBefore);
    faulty.die();
  });
});

describe('a full disk', () => {
  it('gives up its reserve for the last events and says so', async () => {
    const run = scratchRun();
    scratch = run;
    let writes = 0;
    const faulty = faultyDisk({
      call: 1,
      errno: 'ENOSPC',
      sticky: false,
      only: (name) => name === 'writeSync' && journalIsOpen && ++writes === 3,
    });
    let journalIsOpen = false;
    const journal = run.create({ disk: faulty.disk });
    journalIsOpen = true;
    journal.append({ type: 'tick' }, 1);
    journal.append({ type: 'tick' }, 1);
    expect(journal.diskFull).toBe(false);
    expect(journal.append({ type: 'tick' }, 1).seq).toBe(3);
    expect(journal.diskFull).toBe(true);
    expect(fileExists(`${run.folder}/reserve`)).toBe(false);
    journal.append({ type: 'run-ended', state: 'error', reasons: [], error: 'the disk is full' }, 1);
    await journal.close();
    expect(await eventsIn(run.path)).toHaveLength(4);
  });

  it('names the path when even the reserve does not help', () => {
    const run = scratchRun();
    scratch = run;
    let journalIsOpen = false;
    const faulty = faultyDisk({
      call: 1,
      errno: 'ENOSPC',
      sticky: true,
      only: (name) => name === 'writeSync' && journalIsOpen,
    });
    const journal = run.create({ disk: faulty.disk });
    journal.append({ type: 'tick' }, 1);
    journalIsOpen = true;
    expect(() => journal.append({ type: 'tick' }, 1)).toThrow(`cannot write to ${run.path}: ENOSPC`);
    expect(journal.diskFull).toBe(false);
    expect(readFileSync(run.path, 'utf8')).toMatch(/^[^\n]+\n$/);
    faulty.die();
  });
});

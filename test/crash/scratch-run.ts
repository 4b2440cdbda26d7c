import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileJournal } from '../../src/journal/file-journal.js';
import { createFileJournal, type FileJournalOptions, openFileJournal } from '../../src/journal/open-file-journal.js';
import { ownIdentity, type ProcessIdentity } from '../../src/journal/lock.js';
import type { RecordsPlace } from '../../src/journal/run-places.js';
import { readJournal } from '../../src/journal/read-journal.js';
import type { NewEvent, RunEvent } from '../../src/model/run-event.js';

export const RUN_ID = 'loop_01JZZZZZZZZZZZZZZZZZZZZZZZ';

/** A process that has been here and is gone: no pid is that large. */
export const DEAD_PROCESS: ProcessIdentity = { ...ownIdentity(), pid: 2 ** 30, startTime: '1' };

/** A working directory with one run in it, in memory where there is such a place, for thousands of openings. */
export interface ScratchRun {
  readonly workingDir: string;
  /** The folder of the record, in the state home. */
  readonly folder: string;
  readonly path: string;
  /** What the agent sees of it in its working directory. */
  readonly seen: string;
  readonly options: FileJournalOptions & { readonly runId: string };
  create(more?: Partial<FileJournalOptions>): FileJournal;
  open(more?: Partial<FileJournalOptions>): FileJournal;
  /** Puts these bytes in place of the journal, as a crash would leave them, with the snapshot or without one. */
  leave(bytes: Uint8Array, snapshot?: Uint8Array): void;
  dispose(): void;
}

export function scratchRun(
  root = existsSync('/dev/shm') ? '/dev/shm' : tmpdir(),
  records: RecordsPlace = 'home',
): ScratchRun {
  const workingDir = mkdtempSync(join(root, 'pawl-crash-'));
  const stateHome = join(workingDir, 'state-home');
  const options = { workingDir, runId: RUN_ID, records, environment: { XDG_STATE_HOME: stateHome } };
  const seen = join(workingDir, '.ralph', 'runs', RUN_ID);
  const folder = records === 'project' ? seen : join(stateHome, 'pawl', 'runs', RUN_ID);
  const path = join(folder, 'journal.jsonl');
  return {
    workingDir,
    folder,
    path,
    seen,
    options,
    create: (more) => createFileJournal({ ...options, ...more }),
    open: (more) => openFileJournal({ ...options, ...more }),
    leave(bytes, snapshot) {
      rmSync(stateHome, { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, bytes);
      if (snapshot !== undefined) writeFileSync(join(folder, 'state.json'), snapshot);
    },
    dispose: () => rmSync(workingDir, { recursive: true, force: true }),
  };
}

export async function recordOf(scratch: ScratchRun, events: readonly NewEvent[]): Promise<Buffer> {
  const journal = scratch.create();
  for (const [index, event] of events.entries()) journal.append(event, index);
  await journal.close();
  return readFileSync(scratch.path);
}

export async function eventsIn(path: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of readJournal(path)) events.push(event);
  return events;
}

/** Where each line ends, newline included. */
export function lineEnds(bytes: Uint8Array): readonly number[] {
  return [...bytes.keys()].filter((index) => bytes[index] === 0x0a).map((index) => index + 1);
}

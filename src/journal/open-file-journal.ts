import { dirname, join } from 'node:path';
import { FileSystemError, messageOf, LockedError } from '../model/errors.js';
import { INITIAL_STATE } from '../model/run-state.js';
import {
  type Disk,
  NODE_DISK,
  OPEN_TO_WRITE,
  onDisk,
  openNewFile,
  removeFile,
  syncFolder,
  statOf,
  errnoOf,
  writeNewFile,
  makeFolder,
  folderOf,
  type Place,
} from './disk.js';
import { type FileJournal, OpenFileJournal } from './file-journal.js';
import { makeReserve, RecordFile } from './record-file.js';
import { createRecordLinks, type RecordLinks } from './record-links.js';
import { noteRun } from './noted-runs.js';
import {
  newRunId,
  findRunPlaces,
  isGone,
  journalPathOf,
  type RecordsPlace,
  RESERVE_NAME,
  type RunPlaces,
  SNAPSHOT_NAME,
  type Environment,
  LOCK_NAME,
} from './run-places.js';
import {
  type ProcessIdentity,
  ownIdentity,
  acquireLock,
  deadRunAt,
  describeHolder,
  holderAt,
  type Lock,
  type LockHolder,
  newHolder,
} from './lock.js';
import {
  createPublisher,
  type ListenerErrorHandler,
  createWarnings,
  type WarningHandler,
  type Warnings,
} from './journal.js';
import { type Recovered, recover } from './recover.js';
import { createRedactor, type Redactor } from './redact.js';
import type { Seal } from './run-seal.js';
import { encodeSnapshot, type ExtraKeys, replaceSnapshot } from './snapshot.js';
import type { Upgrades } from './upgrade.js';

export interface FileJournalOptions {
  readonly workingDir: string;
  /** Says where the state home is and what is secret. The default is the environment of the process. */
  readonly environment: Environment;
  /** Takes secrets out of everything that is written, in place of one made from the environment. */
  readonly redactor?: Redactor | undefined;
  /** Seals what says what the run executes. */
  readonly seal?: Seal | undefined;
  /** More keys at the top of `state.json`. */
  readonly extraKeys?: ExtraKeys | undefined;
  /** Wall time in milliseconds. */
  readonly now?: (() => number) | undefined;
  readonly onListenerError?: ListenerErrorHandler | undefined;
  readonly onWarning?: WarningHandler | undefined;
  readonly disk?: Disk | undefined;
  readonly upgrades?: Upgrades | undefined;
  /** Where a new record is to be. */
  readonly records?: RecordsPlace | undefined;
  /** Who the locks are taken for. */
  readonly self?: ProcessIdentity | undefined;
}

/** Starts the record of a new run. Throws LockedError when another run has the working tree. */
export function createFileJournal(options: FileJournalOptions & { readonly runId?: string | undefined }): FileJournal {
  const { workingDir, environment, runId = newRunId(), records } = options;
  const places = findRunPlaces(workingDir, runId, environment, records);
  return openUnderLocks(options, places, createRecord);
}

/** Opens the record of a run to continue with it. Throws LockedError when someone else is writing. */
export function openFileJournal(options: FileJournalOptions & { readonly runId: string }): FileJournal {
  const places = findRunPlaces(options.workingDir, options.runId, options.environment);
  return openUnderLocks(options, places, openRecord);
}

/** What is at hand while a journal is opened. */
interface Setting {
  readonly options: FileJournalOptions;
  readonly disk: Disk;
  readonly places: RunPlaces;
  readonly warnings: Warnings;
  readonly links: RecordLinks;
  /** To be done, last first, when it cannot be opened after all. */
  readonly undo: (() => void)[];
}

interface OpenRecord {
  readonly descriptor: number;
  readonly recovered: Recovered;
}

function createRecord({ disk, places, undo }: Setting): OpenRecord {
  const path = journalPathOf(places);
  const descriptor = openNewFile(disk, path);
  undo.push(() => {
    disk.closeSync(descriptor);
    removeFile(disk, path);
  });
  const folder = folderOf(places.record);
  for (const named of [folder, dirname(folder), dirname(dirname(folder))]) syncFolder(disk, named);
  const position = { seq: 0, offset: 0, lineBytes: 0, lineSum: '' };
  return { descriptor, recovered: { state: INITIAL_STATE, position, fromSnapshot: false } };
}

function openRecord({ options, disk, places, undo }: Setting): OpenRecord {
  const path = journalPathOf(places);
  if (statOf(disk, path) === undefined) throw new FileSystemError('open', path, 'no such run');
  const descriptor = disk.openSync(path, OPEN_TO_WRITE);
  undo.push(() => disk.closeSync(descriptor));
  if (!disk.fstatSync(descriptor).isFile()) throw new FileSystemError('open', path, 'it is not a regular file');
  const snapshotPath = join(folderOf(places.record), SNAPSHOT_NAME);
  const { runId } = places;
  return {
    descriptor,
    recovered: recover({ disk, descriptor, path, runId, snapshotPath, upgrades: options.upgrades }),
  };
}

function openUnderLocks(
  options: FileJournalOptions,
  places: RunPlaces,
  open: (setting: Setting) => OpenRecord,
): FileJournal {
  const disk = options.disk ?? NODE_DISK;
  const warnings = createWarnings(options.onWarning, () => {
    if (!isGone(disk, places)) return undefined;
    return `the working directory ${places.workingDir} is gone; the record is kept in ${folderOf(places.record)}`;
  });
  if (places.warning !== undefined) warnings.warn(places.warning);
  const links = createRecordLinks(disk, places, warnings);
  const setting: Setting = { options, disk, places, warnings, links, undo: [] };
  try {
    return onDisk('open', journalPathOf(places), () => assemble(setting, open));
  } catch (error) {
    undoAll(setting.undo);
    throw error;
  }
}

function assemble(setting: Setting, open: (setting: Setting) => OpenRecord): FileJournal {
  const { options, disk, places, warnings, links, undo } = setting;
  const now = options.now ?? Date.now;
  const folder = folderOf(places.record);
  const reserve = join(folder, RESERVE_NAME);
  for (const place of [places.record, places.links])
    if (place !== undefined) undo.push(() => disk.rmdirSync(folderOf(place)));
  const locks = takeRunLocks({ disk, places, warnings, nowMs: now(), self: options.self });
  undo.push(() => locks.release());
  const { descriptor, recovered } = open(setting);
  ignoreFolder(disk, folderOf(places.tree), warnings);
  undo.push(() => removeFile(disk, reserve));
  makeReserve(disk, reserve);
  const { state, position, tail, isSnapshotCurrent = false } = recovered;
  const { offset } = position;
  const checkLocks = () => locks.check();
  const file = new RecordFile({ disk, places, warnings, descriptor, offset, checkLocks });
  const journal = new OpenFileJournal({
    runId: places.runId,
    folder,
    recovered: tail,
    isSnapshotCurrent,
    deadRuns: locks.deadRuns,
    warnings: warnings.list,
    file,
    state,
    position,
    publisher: createPublisher(options.onListenerError),
    now,
    redact: (options.redactor ?? createRedactor(options.environment)).json,
    seal: options.seal,
    writeSnapshot(at, after) {
      return replaceSnapshot(() => encodeSnapshot({ ...places, extraKeys: options.extraKeys }, at, after), setting);
    },
    keepNames() {
      if (links.keep()) ignoreFolder(disk, folderOf(places.tree), warnings);
      locks.keep();
    },
    renewReserve() {
      tryReserve(disk, reserve, warnings);
      ignoreFolder(disk, folderOf(places.tree), warnings);
    },
    release() {
      removeFile(disk, reserve);
      locks.release();
    },
  });
  note(setting);
  journal.begin();
  return journal;
}

/** So that the run is found without its link. */
function note({ places, options, warnings }: Setting): void {
  if (places.links === undefined) return;
  try {
    noteRun(places.runId, places.workingDir, options.environment);
  } catch (error) {
    warnings.warn(`${places.runId} is found only by its links in the working directory: ${messageOf(error)}`);
  }
}

function tryReserve(disk: Disk, path: string, warnings: Warnings): void {
  try {
    makeReserve(disk, path);
  } catch (error) {
    warnings.warn(messageOf(error));
  }
}

function undoAll(steps: readonly (() => void)[]): void {
  for (const step of steps.toReversed()) {
    try {
      step();
    } catch {
      // The reason why it is undone is reported; this would hide it.
    }
  }
}

/** Keeps a folder of ours out of the user's commits: with a rule inside it, nothing of the user's is changed. */
export function ignoreFolder(disk: Disk, folder: string, warnings: Warnings): void {
  const path = join(folder, '.gitignore');
  try {
    if (statOf(disk, path) === undefined) writeNewFile(disk, path, Buffer.from('*\n'));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') warnings.warn(`${folder} may show up in git: ${messageOf(error)}`);
  }
}

/** The locks of a working tree and of a run, held together. */
interface RunLocks {
  /** Other runs of the tree whose writer died: what they started may still be running. */
  readonly deadRuns: readonly string[];
  /** Puts names back that were removed. */
  keep(): void;
  /** Throws LockedError when another writer has taken a lock since. */
  check(): void;
  release(): void;
}

interface RunLocksRequest {
  readonly disk: Disk;
  readonly places: RunPlaces;
  readonly warnings: Warnings;
  readonly nowMs: number;
  readonly self?: ProcessIdentity | undefined;
}

/**
 * J3: one run per working tree, one writer per run. The tree's lock has two names, the one that the agent does not see
 * first: `rm -rf .ralph` does not free the tree.
 */
function takeRunLocks(request: RunLocksRequest): RunLocks {
  const { disk, places, warnings, nowMs, self } = request;
  const holder = newHolder(places.runId, new Date(nowMs), self);
  refuseInside(disk, places);
  const locks: Lock[] = [];
  const dead = new Set<string>();
  const lockTree = (folder: string): void => {
    const found = deadRunAt(disk, join(folder, LOCK_NAME), holder);
    if (found !== undefined && found !== places.runId) dead.add(found);
    locks.push(lockIn(disk, folder, holder));
  };
  const releaseAll = () => locks.toReversed().forEach((lock) => lock.release());
  try {
    const hidden = secondTreeFolder(disk, places.secondTree, warnings);
    if (hidden !== undefined) lockTree(hidden);
    lockTree(makeFolder(disk, places.tree, 'refuse'));
    if (places.links !== undefined) makeFolder(disk, places.links, 'refuse');
    locks.push(lockIn(disk, makeFolder(disk, places.record, 'refuse'), holder));
  } catch (error) {
    releaseAll();
    throw error;
  }
  return {
    deadRuns: [...dead],
    keep() {
      try {
        for (const lock of locks) lock.keep();
      } catch (error) {
        warnings.warn(`a lock was removed and could not be restored: ${messageOf(error)}`);
      }
    },
    check() {
      for (const lock of locks) lock.check();
    },
    release: releaseAll,
  };
}

/** A run in a folder above would see what this one changes. */
function refuseInside(disk: Disk, { workingDir, runId }: RunPlaces): void {
  for (let folder = dirname(workingDir); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, '.ralph', LOCK_NAME);
    const holder = holderAt(disk, path);
    if (holder !== undefined) throw new LockedError(path, describeHolder(holder, { ...ownIdentity(), runId }, folder));
  }
}

function lockIn(disk: Disk, folder: string, holder: LockHolder): Lock {
  return acquireLock({ path: join(folder, LOCK_NAME), holder, disk });
}

function secondTreeFolder(disk: Disk, place: Place, warnings: Warnings): string | undefined {
  try {
    return makeFolder(disk, place, 'refuse');
  } catch (error) {
    warnings.warn(`the working tree is locked under one name only: ${messageOf(error)}`);
    return undefined;
  }
}

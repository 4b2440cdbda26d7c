import { dirname, join } from 'node:path';
import { FileSystemError, messageOf, JournalDamaged, LockedError } from '../model/errors.js';
import { INITIAL_STATE } from '../model/run-state.js';
import {
  type Disk,
  NODE_DISK,
  OPEN_TO_WRITE,
  onDisk,
  openNewFile,
  removeFile,
  syncFolder,
  moveAside,
  OPEN_TO_READ,
  statOf,
  errnoOf,
  writeNewFile,
  makeFolder,
  folderOf,
  type Place,
  isSameFile,
} from './disk.js';
import { type FileJournal, OpenFileJournal } from './file-journal.js';
import { makeReserve, RecordFile } from './record-file.js';
import {
  createSecondNames,
  type SecondNames,
  newRunId,
  findRunPlaces,
  isGone,
  JOURNAL_NAME,
  journalPathOf,
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
import { RecordScanner, scanDescriptor } from './record-scanner.js';

export interface FileJournalOptions {
  readonly workingDir: string;
  /** Says where the second names are kept and what is secret. The default is the environment of the process. */
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
  /** Who the locks are taken for. */
  readonly self?: ProcessIdentity | undefined;
}

/** Starts the record of a new run. Throws LockedError when another run has the working tree. */
export function createFileJournal(options: FileJournalOptions & { readonly runId?: string | undefined }): FileJournal {
  const places = findRunPlaces(options.workingDir, options.runId ?? newRunId(), options.environment);
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
  readonly secondNames: SecondNames;
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
  const folder = folderOf(places.first);
  for (const named of [folder, dirname(folder), folderOf(places.tree)]) syncFolder(disk, named);
  const position = { seq: 0, offset: 0, lineBytes: 0, lineSum: '' };
  return { descriptor, recovered: { state: INITIAL_STATE, position, fromSnapshot: false } };
}

function openRecord({ options, disk, places, warnings, secondNames, undo }: Setting): OpenRecord {
  const path = journalPathOf(places);
  chooseJournal(disk, path, secondNames.pathOf(JOURNAL_NAME), warnings);
  const descriptor = disk.openSync(path, OPEN_TO_WRITE);
  undo.push(() => disk.closeSync(descriptor));
  if (!disk.fstatSync(descriptor).isFile()) throw new FileSystemError('open', path, 'it is not a regular file');
  const snapshotPaths = [join(folderOf(places.first), SNAPSHOT_NAME), secondNames.pathOf(SNAPSHOT_NAME)];
  const { runId } = places;
  return {
    descriptor,
    recovered: recover({ disk, descriptor, path, runId, snapshotPaths, upgrades: options.upgrades }),
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
    return `the working directory ${places.workingDir} is gone; the record is kept in ${folderOf(places.second)}`;
  });
  const secondNames = createSecondNames(disk, places, warnings);
  const setting: Setting = { options, disk, places, warnings, secondNames, undo: [] };
  try {
    return onDisk('open', journalPathOf(places), () => assemble(setting, open));
  } catch (error) {
    undoAll(setting.undo);
    throw error;
  }
}

function assemble(setting: Setting, open: (setting: Setting) => OpenRecord): FileJournal {
  const { options, disk, places, warnings, secondNames, undo } = setting;
  const now = options.now ?? Date.now;
  const folder = folderOf(places.first);
  const reserve = join(folder, RESERVE_NAME);
  undo.push(() => disk.rmdirSync(folder));
  const locks = takeRunLocks({ disk, places, warnings, nowMs: now(), self: options.self });
  undo.push(() => locks.release());
  const { descriptor, recovered } = open(setting);
  ignoreFolder(disk, folderOf(places.tree), warnings);
  undo.push(() => removeFile(disk, reserve));
  makeReserve(disk, reserve);
  const { state, position, tail, isSnapshotCurrent = false } = recovered;
  const { offset } = position;
  const checkLocks = () => locks.check();
  const file = new RecordFile({ disk, places, secondNames, warnings, descriptor, offset, checkLocks });
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
      file.keepSecondName();
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
  journal.begin();
  return journal;
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

/**
 * Sees to it that the first name of a journal leads to the record. Usually it does; after a crash the agent may have
 * removed it, or put something else there. Of two different files the one with more whole records is the record.
 */
function chooseJournal(disk: Disk, first: string, second: string, warnings: Warnings): void {
  const atFirst = statOf(disk, first);
  const atSecond = statOf(disk, second);
  if (atSecond?.isFile() !== true) {
    if (atFirst === undefined) throw new FileSystemError('open', first, 'no such run');
    return;
  }
  if (isSameFile(atFirst, atSecond)) return;
  if (atFirst?.isFile() === true && wholeRecords(disk, first) >= wholeRecords(disk, second)) {
    warnings.warn(`${second} is another file than ${first} and was moved to ${moveAside(disk, second, 'foreign')}`);
    return;
  }
  if (atFirst !== undefined) {
    warnings.warn(`an unknown file at ${first} was moved to ${moveAside(disk, first, 'foreign')}`);
  }
  disk.linkSync(second, first);
  warnings.warn(`${first} was missing and has been restored from ${second}`);
}

function wholeRecords(disk: Disk, path: string): number {
  const descriptor = disk.openSync(path, OPEN_TO_READ);
  try {
    const scanner = new RecordScanner({ path });
    scanDescriptor(disk, descriptor, scanner, () => undefined);
    return scanner.seq;
  } catch (error) {
    if (error instanceof JournalDamaged) return -1;
    throw error;
  } finally {
    disk.closeSync(descriptor);
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
    locks.push(lockIn(disk, makeFolder(disk, places.first, 'refuse'), holder));
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

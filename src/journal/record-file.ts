import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { FileSystemError, messageOf, WorkingDirGone } from '../model/errors.js';
import {
  type Disk,
  errnoOf,
  onDisk,
  OPEN_TO_READ,
  openNewFile,
  readFully,
  removeFile,
  statOf,
  writeFully,
  writeNewFile,
  makeFolder,
  moveAside,
  folderOf,
  type FileIdentity,
  isSameFile,
} from './disk.js';
import { saveAndCut } from './recover.js';
import { isGone, journalPathOf, RESERVE_NAME, type RunPlaces } from './run-places.js';
import type { Warnings } from './journal.js';

const COPY_BYTES = 256 * 1024;

export interface RecordFileOptions {
  readonly disk: Disk;
  readonly places: RunPlaces;
  readonly warnings: Warnings;
  /** Open for reading and writing. */
  readonly descriptor: number;
  /** The end of the last whole record. */
  readonly offset: number;
  /** Throws when the run has another writer. */
  readonly checkLocks: () => void;
}

/**
 * The open file of a journal. Whole lines are written at a known place, so that nothing another process does to the end
 * of the file comes between two records.
 */
export class RecordFile {
  readonly path: string;
  diskFull = false;
  readonly #options: RecordFileOptions;
  #descriptor: number;
  /** Of its own, because the system reports a failed write-back once per opening: neither sync may miss it. */
  #syncDescriptor: number;
  #identity: FileIdentity;
  #offset: number;
  #backgroundSync: Promise<void> | undefined;

  constructor(options: RecordFileOptions) {
    const { disk, places, descriptor } = options;
    this.#options = options;
    this.path = journalPathOf(places);
    this.#descriptor = descriptor;
    this.#offset = options.offset;
    this.#identity = disk.fstatSync(descriptor);
    this.#syncDescriptor = disk.openSync(this.path, OPEN_TO_READ);
  }

  get offset(): number {
    return this.#offset;
  }

  /** Writes a whole line or nothing. True when the file had to be written again: what was next to it may be gone too. */
  append(line: Uint8Array): boolean {
    const { size, nlink } = onDisk('write to', this.path, () => this.#options.disk.fstatSync(this.#descriptor));
    const restored = nlink === 0 && this.#restore();
    if (!restored && size !== this.#offset) this.#trim(size);
    try {
      this.#write(line);
    } catch (error) {
      if (!isDiskFull(error) || this.diskFull) throw new FileSystemError('write to', this.path, error);
      removeFile(this.#options.disk, join(folderOf(this.#options.places.record), RESERVE_NAME));
      onDisk('write to', this.path, () => this.#write(line));
      this.diskFull = true;
    }
    this.#offset += line.length;
    return restored;
  }

  /** Throws what the system says. The caller must not try again: the data may be lost although a second call succeeds. */
  sync(): void {
    this.#options.disk.fdatasyncSync(this.#descriptor);
  }

  /** Starts a sync, unless one is under way; false then. What was written after its start may not be covered. */
  syncInBackground(onEnd: (error: unknown) => void): boolean {
    if (this.#backgroundSync !== undefined) return false;
    this.#backgroundSync = new Promise((resolve) => {
      this.#options.disk.fdatasync(this.#syncDescriptor, (error) => {
        this.#backgroundSync = undefined;
        onEnd(error ?? undefined);
        resolve();
      });
    });
    return true;
  }

  /** Sees to it that the name still leads to this file. True when it did not: what was next to it may be gone too. */
  keepName(): boolean {
    const found = this.#fileAtName();
    if (found === undefined || !isSameFile(found, this.#identity)) return this.#restore();
    if (found.size !== this.#offset) this.#trim(found.size);
    return false;
  }

  async close(): Promise<void> {
    await this.#backgroundSync;
    this.closeNow();
  }

  /** Without waiting for a sync that is under way. */
  closeNow(): void {
    const { disk } = this.#options;
    for (const descriptor of [this.#descriptor, this.#syncDescriptor]) {
      try {
        disk.closeSync(descriptor);
      } catch {
        // Everything was synced before, or its failure was reported.
      }
    }
  }

  #fileAtName(): (FileIdentity & { readonly size: number }) | undefined {
    try {
      return statOf(this.#options.disk, this.path);
    } catch {
      return undefined;
    }
  }

  #write(line: Uint8Array): void {
    const { disk } = this.#options;
    try {
      writeFully(disk, this.#descriptor, line, this.#offset);
    } catch (error) {
      try {
        disk.ftruncateSync(this.#descriptor, this.#offset);
      } catch {
        // The next line is written over what is left of this one.
      }
      throw error;
    }
  }

  /** The file is longer or shorter than what was written to it. What is too much is saved and cut off, as on opening. */
  #trim(size: number): void {
    const { disk, warnings, checkLocks } = this.#options;
    onDisk('write to', this.path, () => {
      checkLocks();
      if (size < this.#offset) throw new Error(`another process cut it from ${this.#offset} to ${size} bytes`);
      const { savedTo } = saveAndCut(disk, this.#descriptor, this.path, {
        offset: this.#offset,
        bytes: size - this.#offset,
      });
      warnings.warn(`another process wrote to ${this.path}; its bytes were moved to ${savedTo}`);
    });
  }

  #restore(): boolean {
    const { disk, places, warnings } = this.#options;
    try {
      makeFolder(disk, places.record, 'move');
      if (clearTheWay(disk, this.path, this.#identity, warnings)) return false;
      this.#recreate();
      warnings.warn(`${this.path} was removed and has been written again`);
    } catch (error) {
      const { nlink } = onDisk('inspect', this.path, () => disk.fstatSync(this.#descriptor));
      if (nlink === 0 && isGone(disk, places)) throw new WorkingDirGone(places.workingDir, ', and the record with it');
      if (nlink === 0)
        throw error instanceof FileSystemError ? error : new FileSystemError('restore', this.path, error);
      warnings.warn(`${this.path} is gone and could not be restored: ${messageOf(error)}`);
      return false;
    }
    return true;
  }

  /** The open file is all that is left of the record. */
  #recreate(): void {
    const { disk } = this.#options;
    const temp = `${this.path}.new`;
    removeFile(disk, temp);
    const descriptor = openNewFile(disk, temp);
    let syncDescriptor: number;
    try {
      this.#copyTo(descriptor);
      disk.fdatasyncSync(descriptor);
      disk.renameSync(temp, this.path);
      syncDescriptor = disk.openSync(this.path, OPEN_TO_READ);
      this.#identity = disk.fstatSync(descriptor);
    } catch (error) {
      disk.closeSync(descriptor);
      throw error;
    }
    const retired = [this.#descriptor, this.#syncDescriptor];
    const underWay = this.#backgroundSync ?? Promise.resolve();
    void underWay.then(() => retired.forEach((old) => disk.closeSync(old)));
    this.#descriptor = descriptor;
    this.#syncDescriptor = syncDescriptor;
  }

  #copyTo(descriptor: number): void {
    const { disk } = this.#options;
    for (let position = 0; position < this.#offset; ) {
      const chunk = Buffer.allocUnsafe(Math.min(COPY_BYTES, this.#offset - position));
      const count = readFully(disk, this.#descriptor, chunk, position);
      if (count === 0) throw new Error('it ended before its end');
      writeFully(disk, descriptor, chunk.subarray(0, count), position);
      position += count;
    }
  }
}

const RESERVE_BYTES = 64 * 1024;

/** The disk, or what the user may use of it, is full. */
export function isDiskFull(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOSPC' || errno === 'EDQUOT';
}

/** Takes up disk space that is given back when there is no more, so that the last events of a run fit. */
export function makeReserve(disk: Disk, path: string): void {
  onDisk('reserve disk space in', path, () => {
    const found = statOf(disk, path);
    if (found?.isFile() === true && found.size === RESERVE_BYTES) return;
    removeFile(disk, path);
    // Random, so that no file system stores it in less; synced, because space is ours only once it is allocated.
    writeNewFile(disk, path, randomBytes(RESERVE_BYTES), { sync: true });
  });
}

/** Makes room at a path for a file of ours. Returns true when that very file is already there. */
export function clearTheWay(disk: Disk, path: string, ours: FileIdentity, warnings: Warnings): boolean {
  const found = statOf(disk, path);
  if (found === undefined) return false;
  if (isSameFile(found, ours)) return true;
  warnings.warn(`an unknown file at ${path} was moved to ${moveAside(disk, path, 'foreign')}`);
  return false;
}

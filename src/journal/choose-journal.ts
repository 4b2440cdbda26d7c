import { FileSystemError, JournalDamaged } from '../model/errors.js';
import { type Disk, moveAside, OPEN_TO_READ, statOf } from './disk.js';
import { RecordScanner } from './record-scanner.js';
import { scanDescriptor } from './scan-file.js';
import { isSameFile } from './second-names.js';
import type { Warnings } from './warnings.js';

/**
 * Sees to it that the first name of a journal leads to the record. Usually it does; after a crash the agent may have
 * removed it, or put something else there. Of two different files the one with more whole records is the record.
 */
export function chooseJournal(disk: Disk, first: string, second: string, warnings: Warnings): void {
  const atFirst = statOf(disk, first);
  const atSecond = statOf(disk, second);
  if (atSecond?.isFile() !== true) {
    if (atFirst === undefined) throw new FileSystemError('open', first, 'there is no such run');
    return;
  }
  if (isSameFile(atFirst, atSecond)) return;
  if (atFirst?.isFile() === true && wholeRecords(disk, first) >= wholeRecords(disk, second)) {
    warnings.warn(`${second} is another file than ${first} and was moved to ${moveAside(disk, second, 'foreign')}`);
    return;
  }
  if (atFirst !== undefined) {
    warnings.warn(`a foreign file stood at ${first} and was moved to ${moveAside(disk, first, 'foreign')}`);
  }
  disk.linkSync(second, first);
  warnings.warn(`${first} was missing and has been put back from ${second}`);
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

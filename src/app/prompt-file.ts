import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { messageOf } from '../model/errors.js';
import { plural } from '../model/figures.js';
import { systemErrorWords } from '../model/system-error-words.js';

/** What a run reads at most. */
export const LARGEST_PROMPT_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** `other`: there, but a folder, a pipe, a device. A name that no file can have is that of a missing one. */
export function promptFileKind(path: string): 'file' | 'missing' | 'other' {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    return stats.isFile() ? 'file' : 'other';
  } catch (error) {
    // What cannot even be inspected may be there: opening it says why.
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'file' : 'missing';
  }
}

/** What is wrong with the text of a prompt file, as the end of a sentence; undefined when there is something in it. */
export function checkPromptFile(path: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return 'is not a regular file';
    if (stats.size > LARGEST_PROMPT_BYTES) {
      return `has ${plural(stats.size, 'byte')}, more than the ${plural(LARGEST_PROMPT_BYTES, 'byte')} allowed`;
    }
    if (!isBlank(descriptor)) return undefined;
    return stats.size === 0 ? 'is empty' : 'contains only blanks';
  } catch (error) {
    return `cannot be read: ${systemErrorWords(messageOf(error))}`;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Whether a file that can be read has this line near its beginning. */
export function hasLine(path: string, line: string): boolean {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const text = chunk.toString('utf8', 0, readSync(descriptor, chunk));
    return text.split(/\r?\n/).includes(line);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads no further than to the first character that is not a blank. */
function isBlank(descriptor: number): boolean {
  const decoder = new TextDecoder();
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let read = 0; read <= LARGEST_PROMPT_BYTES; ) {
    const bytes = readSync(descriptor, chunk);
    if (decoder.decode(chunk.subarray(0, bytes), { stream: bytes > 0 }).trim() !== '') return false;
    if (bytes === 0) return true;
    read += bytes;
  }
  return false;
}

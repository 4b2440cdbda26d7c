import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { ConfigError, messageOf } from '../../../model/errors.js';
import { systemErrorWords } from '../../../model/system-error-words.js';
import { plural } from '../../../model/figures.js';

export interface FileRequest {
  readonly path: string;
  /** How messages call it. */
  readonly shown: string;
  /** What it is for, or the flag that names it. */
  readonly role: string;
  readonly limitBytes: number;
}

/** The text of a file that may be anything: what is no regular file, too large or no UTF-8 is refused. Throws ConfigError. */
export function submittedFile(request: FileRequest): string {
  const { shown } = request;
  const bytes = bytesOf(request);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused(`${shown}:${firstBadPlace(bytes)}`, 'is not valid UTF-8 text from here on');
  }
}

function bytesOf({ path, shown, role, limitBytes }: FileRequest): Buffer {
  const not = (why: string) => refused(role, `${shown} ${why}`);
  if (path.includes('\0')) throw not('is not a path');
  let descriptor: number | undefined;
  try {
    // Nobody may ever write to a pipe.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw not('is a folder, not a file');
    if (!stats.isFile()) throw not('is not a regular file');
    if (stats.size > limitBytes) {
      throw not(`has ${plural(stats.size, 'byte')}, more than the ${plural(limitBytes, 'byte')} allowed`);
    }
    return readFileSync(descriptor);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw not(`cannot be read: ${systemErrorWords(messageOf(error))}`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Line and column in bytes of the first line that cannot be read. */
function firstBadPlace(bytes: Buffer): string {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    const column = badColumn(bytes.subarray(start, end));
    if (column !== undefined) return `${line}:${column}`;
    start = end + 1;
  }
  return '1:1';
}

function badColumn(line: Buffer): number | undefined {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(line);
  if (Buffer.from(text).equals(line)) return undefined;
  for (let at = text.indexOf('\uFFFD'); at >= 0; at = text.indexOf('\uFFFD', at + 1)) {
    const before = Buffer.from(text.slice(0, at + 1));
    if (!line.subarray(0, before.length).equals(before)) return at + 1;
  }
  return 1;
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}

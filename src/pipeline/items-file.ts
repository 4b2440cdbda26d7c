import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { FileSystemError } from '../model/errors.js';
import { hashOfItems } from './item.js';

/** Which items a run has, one line of JSON each in their order, kept under the hash that the record names. */
export function writeItems(folder: string, lines: readonly string[]): void {
  const path = pathOf(folder, hashOfItems(lines));
  try {
    const descriptor = openSync(`${path}.new`, 'w', 0o600);
    try {
      writeSync(descriptor, `${lines.join('\n')}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw new FileSystemError('write', path, error);
  }
}

/** Undefined when the file is gone or was changed: what the items were is then not known any more. */
export function readItems(folder: string, hash: string): readonly string[] | undefined {
  try {
    const lines = readFileSync(pathOf(folder, hash), 'utf8').trimEnd().split('\n');
    return hashOfItems(lines) === hash ? lines : undefined;
  } catch {
    return undefined;
  }
}

function pathOf(folder: string, hash: string): string {
  return join(folder, `items-${hash}.jsonl`);
}

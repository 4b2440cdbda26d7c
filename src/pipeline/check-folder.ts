import { statSync } from 'node:fs';
import { ConfigError, messageOf } from '../model/errors.js';
import { clip } from '../model/show-value.js';
import { systemErrorWords } from '../model/system-error-words.js';

/** Throws ConfigError when there is no such folder: what is looked for in it is not what is missing. */
export function checkFolder(path: string): void {
  const message = problemOf(path);
  if (message !== undefined) throw new ConfigError([{ path: '', place: clip(path), message }]);
}

function problemOf(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return 'no such folder';
    return found.isDirectory() ? undefined : 'is not a folder';
  } catch (error) {
    return systemErrorWords(messageOf(error));
  }
}

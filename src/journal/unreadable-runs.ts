import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../model/errors.js';
import { systemErrorWords } from '../model/system-error-words.js';
import { errnoOf } from './disk.js';

/** Why nobody can say which runs a folder has; undefined when it can be said, also that there are none. */
export function whyRunsUnreadable(workingDir: string): string | undefined {
  const folder = join(workingDir, '.ralph', 'runs');
  try {
    readdirSync(folder);
    return undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    return systemErrorWords(`${folder} cannot be read: ${messageOf(error)}`);
  }
}

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { NODE_DISK } from './disk.js';
import { makeFolder } from './make-folder.js';
import { type Environment, stateHome } from './second-home.js';

/** Where a project is noted: a small file each, so that runs that start at once do not meet. */
const SEGMENTS = ['pawl', 'projects'];

/** Remembers a folder in which the user has a run. Throws when that cannot be done. */
export function noteProject(workingDir: string, environment: Environment): void {
  const base = stateHome(environment);
  const name = createHash('sha256').update(workingDir).digest('hex').slice(0, 16);
  const path = join(base, ...SEGMENTS, name);
  if (existsSync(path)) return;
  const folder = makeFolder(NODE_DISK, { base, segments: SEGMENTS, makesBase: true }, 'refuse');
  const draft = join(folder, `.${name}-${process.pid}`);
  writeFileSync(draft, `${workingDir}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** The folders in which the user has had runs, as far as they are still there. */
export function knownProjects(environment: Environment): readonly string[] {
  return notedProjects(environment).filter((path) => existsSync(path));
}

/** The folders in which the user has had runs, of which some may be gone. None of them is looked at. */
export function notedProjects(environment: Environment): readonly string[] {
  const folder = join(stateHome(environment), ...SEGMENTS);
  return namesIn(folder)
    .flatMap((name) => (name.startsWith('.') ? [] : pathIn(join(folder, name))))
    .sort();
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function pathIn(file: string): readonly string[] {
  try {
    const path = readFileSync(file, 'utf8').replace(/\n$/, '');
    return isAbsolute(path) ? [path] : [];
  } catch {
    return [];
  }
}

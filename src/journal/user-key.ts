import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Disk, NODE_DISK } from './disk.js';
import { makeFolder } from './make-folder.js';
import { type Environment, stateHome } from './second-home.js';

const SEGMENTS = ['pawl'];
const NAME = 'key';
const SHAPE = /^[0-9a-f]{64}\n$/;
const SIZE_BYTES = 65;

/** A key that only this user has, outside of every project; undefined when there is none, or none that can be used. */
export function readUserKey(environment: Environment): string | undefined {
  const path = join(stateHome(environment), ...SEGMENTS, NAME);
  try {
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.size !== SIZE_BYTES) return undefined;
    const text = readFileSync(path, 'utf8');
    return SHAPE.test(text) ? text.trimEnd() : undefined;
  } catch {
    return undefined;
  }
}

/** The same, made when it is missing or damaged. Throws when that cannot be done. */
export function makeUserKey(environment: Environment, disk: Disk = NODE_DISK): string {
  const known = readUserKey(environment);
  if (known !== undefined) return known;
  const folder = makeFolder(NODE_DISK, { base: stateHome(environment), segments: SEGMENTS, makesBase: true }, 'refuse');
  const path = join(folder, NAME);
  const draft = join(folder, `.${NAME}-${process.pid}`);
  const key = randomBytes(32).toString('hex');
  writeFileSync(draft, `${key}\n`, { mode: 0o600 });
  try {
    disk.linkSync(draft, path);
    return key;
  } catch {
    // Of two runs that start at once, both have to find the same key.
    const others = readUserKey(environment);
    if (others !== undefined) return others;
    // It is damaged, or there are no hard links here.
    renameSync(draft, path);
    return key;
  } finally {
    rmSync(draft, { force: true });
  }
}

import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../model/errors.js';
import type { RunClone } from './clone.js';

/** What became of a working tree. */
export interface LeftClone {
  /** What the user must know. */
  readonly error?: string | undefined;
  /** As HOST:PATH. */
  readonly kept?: string | undefined;
}

type KeptClone = LeftClone & { readonly error: string };

/** Removes a clone, unless it contains work that exists nowhere else. Never rejects. */
export async function leaveClone(
  clone: RunClone,
  home: string,
  holds: 'work' | 'nothing' | 'unknown',
): Promise<LeftClone> {
  if (holds === 'nothing') return clone.remove();
  if (holds === 'work') return keepClone(clone, home);
  const unpushed = await clone.unpushed();
  if (unpushed === undefined) return clone.remove();
  const { error, kept } = await keepClone(clone, home);
  return { error: `${unpushed}: ${error}`, kept };
}

/** Moves the clone to where it is not removed. Never rejects. */
async function keepClone(clone: RunClone, home: string): Promise<KeptClone> {
  const { path } = clone;
  if (!existsSync(path)) {
    await clone.remove();
    return { error: `the working tree ${path} is gone, with what was on no branch` };
  }
  const kept = join(home, 'kept', basename(dirname(path)));
  try {
    await mkdir(dirname(kept), { recursive: true, mode: 0o700 });
    await rename(dirname(path), kept);
    return { error: `what is on no branch is kept in ${kept}`, kept: `${hostname()}:${kept}` };
  } catch (error) {
    return { error: `what is on no branch is left in ${path}: ${messageOf(error)}` };
  }
}

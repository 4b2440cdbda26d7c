import { mkdir, rename } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../model/errors.js';
import type { Workspace } from './workspace.js';

/** What became of a working tree, as far as it is worth telling. */
export interface LeftTree {
  /** What a person has to know. */
  readonly error?: string | undefined;
  /** As HOST:PATH. */
  readonly kept?: string | undefined;
}

/** Puts the working tree out of the way of those who clear up. Never rejects. */
export async function keepTree({ path }: Workspace, home: string): Promise<LeftTree> {
  const kept = join(home, 'kept', basename(dirname(path)));
  try {
    await mkdir(dirname(kept), { recursive: true, mode: 0o700 });
    await rename(dirname(path), kept);
    return { error: `what is on no branch is kept in ${kept}`, kept: `${hostname()}:${kept}` };
  } catch (error) {
    return { error: `what is on no branch is left in ${path}: ${messageOf(error)}` };
  }
}

import { existsSync } from 'node:fs';
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

type KeptTree = LeftTree & { readonly error: string };

/** Takes a working tree away, unless it holds what is nowhere else. Never rejects. */
export async function leaveTree(
  workspace: Workspace,
  home: string,
  holds: 'work' | 'nothing' | 'unknown',
): Promise<LeftTree> {
  if (holds === 'nothing') return workspace.remove();
  if (holds === 'work') return keepTree(workspace, home);
  const unpushed = await workspace.unpushed();
  if (unpushed === undefined) return workspace.remove();
  const { error, kept } = await keepTree(workspace, home);
  return { error: `${unpushed}: ${error}`, kept };
}

/** Puts the working tree out of the way of those who clear up. Never rejects. */
async function keepTree(workspace: Workspace, home: string): Promise<KeptTree> {
  const { path } = workspace;
  if (!existsSync(path)) {
    await workspace.remove();
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

import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CallLimits, GitFailed } from './git-tool.js';
import type { ShadowRepository } from './shadow-repository.js';

/** From so many or so much on, objects with a file of their own are put into a pack. */
export interface LooseLimits {
  readonly objects: number;
  readonly bytes: number;
}

export const LOOSE_IN_A_RUN: LooseLimits = { objects: 2000, bytes: 8 * 1024 * 1024 };
export const LOOSE_AFTER_A_RUN: LooseLimits = { objects: 500, bytes: 1024 * 1024 };

/** Bounds the memory that git takes to compare objects. */
const PACKING = ['-c', 'pack.windowMemory=128m', 'repack', '-d', '-q'];

/**
 * Puts loose objects into a pack if they are many: a hundred versions of a file then take little more than one. Git writes the
 * pack next to the objects and removes them afterwards, so nothing is lost if it is killed.
 */
export async function packLooseObjects(shadow: ShadowRepository, most: LooseLimits, limits: CallLimits): Promise<void> {
  const { objects, bytes } = looseObjects(shadow.folder);
  if (objects < most.objects && bytes < most.bytes) return;
  removeDrafts(join(shadow.folder, 'objects', 'pack'));
  try {
    // Small packs are joined, so that there are never many.
    await shadow.git([...PACKING, '--geometric=2'], limits);
  } catch (error) {
    if (!(error instanceof GitFailed) || !error.isDamage) throw error;
    // A git before 2.32.
    await shadow.git(PACKING, limits);
  }
}

function looseObjects(folder: string): LooseLimits {
  let [objects, bytes] = [0, 0];
  for (const name of namesIn(join(folder, 'objects'))) {
    if (!/^[0-9a-f]{2}$/.test(name)) continue;
    for (const object of namesIn(join(folder, 'objects', name))) {
      objects += 1;
      bytes += statSync(join(folder, 'objects', name, object), { throwIfNoEntry: false })?.size ?? 0;
    }
  }
  return { objects, bytes };
}

/** What a git that was killed left half written. */
function removeDrafts(packs: string): void {
  for (const name of namesIn(packs)) {
    if (name.startsWith('tmp_') || name.startsWith('.tmp-')) rmSync(join(packs, name), { force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

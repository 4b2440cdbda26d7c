import { join } from 'node:path';
import { type CallLimits, GitFailed, type ShadowRepository } from './shadow-repository.js';
import type { UserGit } from './user-git.js';
import type { UserRepository } from './work-tree.js';

/**
 * Copies the objects of the user's HEAD and index in one pack, which is quicker than making them from the files. Only
 * that: whether it worked is told, and the snapshot is the same without.
 */
export async function seedObjects(shadow: ShadowRepository, user: UserGit, limits: CallLimits): Promise<boolean> {
  const { git } = shadow.tree;
  if (git === undefined) return false;
  try {
    const input = await user.objectNames(limits);
    if (input.length === 0) return false;
    const objects = join(shadow.folder, 'objects');
    const variables = {
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: alternateObjects(git),
    };
    await shadow.git(['pack-objects', '-q', '--window=0', join(objects, 'pack', 'pack')], limits, { input, variables });
    return true;
  } catch (error) {
    if (error instanceof GitFailed && error.isDamage) return false;
    throw error;
  }
}

/** The user's objects for GIT_ALTERNATE_OBJECT_DIRECTORIES, quoted because it is a list with colons between. */
export function alternateObjects({ commonDir }: UserRepository): string {
  const path = join(commonDir, 'objects');
  return `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

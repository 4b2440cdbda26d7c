import { type CallLimits, GitFailed } from './git-tool.js';
import type { PathBytes } from './path-bytes.js';
import type { ShadowRepository } from './shadow-repository.js';
import { entryChanges, everyPath } from './tree-entries.js';

/** Paths whose content of now is in none of the recorded trees. */
export async function unrecordedPaths(
  shadow: ShadowRepository,
  now: string,
  recorded: readonly string[],
  limits: CallLimits,
): Promise<ReadonlySet<PathBytes>> {
  let left: ReadonlySet<PathBytes> | undefined;
  for (const tree of recorded) {
    // oxlint-disable-next-line no-await-in-loop -- mostly the first one explains everything
    const differing = await differingPaths(shadow, tree, now, limits);
    const before: ReadonlySet<PathBytes> | undefined = left;
    if (differing !== undefined) left = before === undefined ? differing : intersection(before, differing);
    if (left?.size === 0) break;
  }
  return left ?? (await everyPath(shadow, now, limits));
}

/** Undefined when the tree is there no more. */
async function differingPaths(
  shadow: ShadowRepository,
  tree: string,
  now: string,
  limits: CallLimits,
): Promise<ReadonlySet<PathBytes> | undefined> {
  try {
    return new Set((await entryChanges(shadow, tree, now, limits)).map(({ path }) => path));
  } catch (error) {
    if (error instanceof GitFailed && error.isDamage) return undefined;
    throw error;
  }
}

function intersection(one: ReadonlySet<PathBytes>, other: ReadonlySet<PathBytes>): ReadonlySet<PathBytes> {
  return new Set([...one].filter((path) => other.has(path)));
}

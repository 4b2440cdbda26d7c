import { askGit, type Environment } from './ask-git.js';

/** Why nothing can be committed in a folder; undefined when git works there. Writes nothing, never rejects. */
export async function whyNoCommit(folder: string, environment: Environment): Promise<string | undefined> {
  const inside = await askGit({ folder, environment }, 'rev-parse', '--is-inside-work-tree');
  if (inside.error !== undefined) return whyNoRepository(folder, inside.error);
  return inside.output === 'true' ? undefined : `${folder} is not in the work tree of its git repository`;
}

/** What git said of a folder, in words. */
export function whyNoRepository(folder: string, why: string): string {
  // The second is what git says last below a mount point.
  if (/^(?:not a git repository|Stopping at filesystem boundary)/.test(why))
    return `${folder} is not in a git repository`;
  return /\bENOENT\b/.test(why) ? 'there is no git on the PATH' : `${folder}: git says: ${why}`;
}

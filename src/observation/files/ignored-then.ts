import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CallLimits } from './git-tool.js';
import { joinPaths, type PathBytes, splitPaths } from './path-bytes.js';
import type { ShadowRepository } from './shadow-repository.js';
import { StagedFiles } from './staged-files.js';
import { entriesNamed } from './tree-entries.js';

/** Always ignored, so that git has something to answer. */
const OWN_FILE = '.ralph/x';

/** Which paths the rules of a snapshot leave out: they may have been there then, and nobody has recorded them. */
export async function ignoredThen(
  shadow: ShadowRepository,
  tree: string,
  paths: readonly PathBytes[],
  limits: CallLimits,
): Promise<readonly PathBytes[]> {
  if (paths.length === 0) return [];
  const folder = mkdtempSync(join(shadow.folder, 'rules-'));
  try {
    // A tree of nothing but its rules.
    const rules = new StagedFiles(shadow, folder);
    await rules.fill(await entriesNamed(shadow, tree, '.gitignore', limits), limits);
    mkdirSync(rules.files, { recursive: true });
    const input = joinPaths([OWN_FILE, ...paths]);
    const variables = { GIT_WORK_TREE: rules.files };
    const args = ['-C', rules.files, 'check-ignore', '--no-index', '-z', '--stdin'];
    const { stdout } = await shadow.git(args, limits, { input, variables });
    return splitPaths(stdout).filter((path) => path !== OWN_FILE);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

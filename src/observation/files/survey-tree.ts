import { MOST_NESTED, NESTED_PLACEHOLDER, TOO_DEEP } from '../../workspace/stage-work.js';
import { type CallLimits, GitFailed } from './git-tool.js';
import type { ShadowRepository } from './shadow-repository.js';
import { parseTreeStatus, type TreeStatus } from './tree-status.js';

const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

export interface Survey extends TreeStatus {
  /** What git could not look at, in its words. */
  readonly warnings: readonly string[];
}

/** How the tree differs from the index, nested repositories included. */
export async function surveyTree(shadow: ShadowRepository, limits: CallLimits): Promise<Survey> {
  const args = ['status', '--porcelain=v2', '-z', '-uall', '--no-renames', '--ignore-submodules=all'];
  for (let round = 1; ; round++) {
    // Git's memory of untracked files does not notice that a nested repository is one no longer.
    const memory = round === 1 ? [] : ['-c', 'core.untrackedCache=false'];
    // oxlint-disable-next-line no-await-in-loop -- each round looks one nested repository deeper
    const { stdout, stderr } = await shadow.git([...memory, ...args], limits);
    const status = withoutOwnFiles(parseTreeStatus(stdout), shadow);
    if (status.nested.length === 0) return { ...status, warnings: linesOf(stderr) };
    if (round === MOST_NESTED) throw new GitFailed(TOO_DEEP);
    const entries = status.nested.map((folder) => `100644 ${EMPTY_BLOB} 0\t${folder}${NESTED_PLACEHOLDER}\0`).join('');
    // oxlint-disable-next-line no-await-in-loop -- as above
    await shadow.git(['update-index', '-z', '--index-info'], limits, { input: Buffer.from(entries, 'latin1') });
  }
}

function withoutOwnFiles(status: TreeStatus, { ownFiles }: ShadowRepository): TreeStatus {
  return {
    ...status,
    changed: status.changed.filter((path) => !ownFiles.includes(path)),
    nested: status.nested.filter((path) => !ownFiles.includes(path)),
  };
}

export function linesOf(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => line.trim() !== '');
}

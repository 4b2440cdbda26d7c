import { checkedOut } from './checked-out.js';
import { workGit, type WorkPlace } from './work-git.js';

/** What a branch has got since a commit; `count` is without what came by merges. */
export interface BroughtCommits {
  readonly head: string;
  readonly count: number;
}

/** Undefined when there is nothing new, or when what is checked out does not build on that commit. */
export async function broughtCommits(place: WorkPlace, before: string): Promise<BroughtCommits | undefined> {
  const range = ['rev-list', '--first-parent', '--left-right', '--count', `${before}...HEAD`];
  const [left, right] = (await workGit(place, range)).output.split('\t').map(Number);
  if (left !== 0 || right === undefined || right === 0) return undefined;
  return { head: await checkedOut(place), count: right };
}

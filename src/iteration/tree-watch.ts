import type { FileChanges } from '../model/observation.js';
import type { FileTracker, TreeChanges } from '../observation/files/file-tracker.js';

/** Names of changed files that are recorded of each kind; the counts are of all. */
const RECORDED_NAMES = 500;

/** What an iteration did to the working tree; every changed path, for conditions that ask for certain ones. */
export interface WatchedChanges {
  readonly files: FileChanges;
  readonly paths: readonly string[];
}

export interface Unwatched {
  readonly problem: string;
}

/** The working tree from iteration to iteration. */
export interface TreeWatch {
  /** Where an iteration starts from. */
  begin(label: string): Promise<string | undefined>;
  /** What changed since `before`. */
  changesSince(before: string | undefined, label: string): Promise<WatchedChanges | Unwatched>;
  /** The tree as it is, without a comparison. */
  look(label: string): Promise<{ readonly tree: string } | Unwatched>;
  /** Somebody else than the agent may have changed something: a command of the harness, a hook, a person. */
  disturb(): void;
}

/** The end of one iteration is the start of the next, unless something lay between. `last` is the tree of a record. */
export function createTreeWatch(tracker: FileTracker, last?: string): TreeWatch {
  let tree = last;
  let problem: string | undefined;
  let incomplete: readonly string[] = [];

  const take = async (label: string): Promise<string | undefined> => {
    const taken = await tracker.snapshot(label);
    problem = 'error' in taken ? taken.error : undefined;
    incomplete = 'error' in taken ? [] : taken.incomplete;
    tree = 'error' in taken ? undefined : taken.tree;
    return tree;
  };
  const unwatched = (): Unwatched => ({ problem: problem ?? 'where the iteration started from is not known' });

  return {
    async begin(label) {
      return tree ?? take(label);
    },
    async look(label) {
      const now = await take(label);
      return now === undefined ? unwatched() : { tree: now };
    },
    async changesSince(before, label) {
      const after = await take(label);
      if (before === undefined || after === undefined) return unwatched();
      const changes = before === after ? NO_CHANGES : await tracker.changes(before, after);
      if ('error' in changes) return { problem: changes.error };
      return { files: fileChanges(before, after, changes, incomplete), paths: pathsOf(changes) };
    },
    disturb() {
      tree = undefined;
    },
  };
}

const NO_CHANGES: TreeChanges = { created: [], modified: [], deleted: [], changedFiles: 0, changedLines: 0 };

function pathsOf({ created, modified, deleted }: TreeChanges): readonly string[] {
  return [...created, ...modified, ...deleted];
}

function fileChanges(
  treeBefore: string,
  treeAfter: string,
  changes: TreeChanges,
  incomplete: readonly string[],
): FileChanges {
  return {
    treeBefore,
    treeAfter,
    created: changes.created.slice(0, RECORDED_NAMES),
    modified: changes.modified.slice(0, RECORDED_NAMES),
    deleted: changes.deleted.slice(0, RECORDED_NAMES),
    changedFiles: changes.changedFiles,
    changedLines: changes.changedLines,
    ...(incomplete.length === 0 ? {} : { incomplete: incomplete.slice(0, RECORDED_NAMES) }),
  };
}

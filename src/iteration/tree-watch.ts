import { countKinds } from '../model/file-kind.js';
import type { FileChanges, Observation } from '../model/observation.js';
import type { FileTracker, TreeChanges } from '../observation/files/file-tracker.js';
import { isFingerprint } from '../observation/files/status-fingerprint.js';

/** Names of changed files that are recorded of each kind; the counts are of all. */
const RECORDED_NAMES = 500;
const MOST_COMPARED_FILES = 200;
const MOST_COMPARED_LINES = 50_000;

/** What an iteration did to the working tree. */
export interface WatchedChanges {
  readonly files: FileChanges;
  readonly also?: Observation['also'];
}

export interface Unwatched {
  readonly problem: string;
  readonly fingerprint?: Observation['fingerprint'];
  readonly also?: Observation['also'];
}

/** The working tree from iteration to iteration. */
export interface TreeWatch {
  /** Where an iteration starts from: a tree, or a fingerprint where there are too many files for one. */
  begin(label: string): Promise<string | undefined>;
  /** What changed since `before`. */
  changesSince(before: string | undefined, label: string): Promise<WatchedChanges | Unwatched>;
  /** The tree as it is, without a comparison. */
  look(label: string): Promise<{ readonly tree: string } | Unwatched>;
  /** The tree as it is while an agent works. What iterations are compared with stays the same. Never rejects. */
  capture(label: string, signal: AbortSignal): Promise<string | undefined>;
  /** Someone else than the agent may have changed something: a command of the harness, a hook, a person. */
  disturb(): void;
  /** What snapshots hold. */
  readonly history: Pick<FileTracker, 'changes' | 'patch' | 'earlierFiles' | 'kept' | 'restore'>;
  /** Nothing more will be watched. */
  close(): Promise<void>;
}

/** The end of one iteration is the start of the next, unless something lay between. `startOfRun` is the tree of the baseline. */
export function createTreeWatch(
  tracker: FileTracker,
  startOfRun: () => string | undefined = () => undefined,
): TreeWatch {
  let tree: string | undefined;
  /** In place of the tree where there are too many files for one. */
  let fingerprint: string | undefined;
  let problem: string | undefined;
  let incomplete: readonly string[] = [];

  const take = async (label: string): Promise<string | undefined> => {
    const taken = await tracker.snapshot(label);
    problem = 'error' in taken ? taken.error : undefined;
    fingerprint = 'error' in taken ? taken.fingerprint : undefined;
    incomplete = 'error' in taken ? [] : taken.incomplete;
    tree = 'error' in taken ? undefined : taken.tree;
    return tree;
  };
  const unwatched = (before?: string): Unwatched => ({
    problem: problem ?? 'the state at the start of the iteration is not known',
    ...(fingerprint === undefined
      ? {}
      : {
          fingerprint: {
            before: before !== undefined && isFingerprint(before) ? before : undefined,
            after: fingerprint,
          },
        }),
  });

  return {
    async begin(label) {
      return tree ?? fingerprint ?? (await take(label)) ?? fingerprint;
    },
    async look(label) {
      const now = await take(label);
      return now === undefined ? unwatched() : { tree: now };
    },
    async changesSince(before, label) {
      const after = await take(label);
      if (before === undefined || after === undefined) return unwatched(before);
      const changes = before === after ? NO_CHANGES : await tracker.changes(before, after);
      if ('error' in changes) return { problem: changes.error };
      const changed = isComparable(changes) ? await tracker.changedLines(before, after, startOfRun()) : undefined;
      const known = changed === undefined || 'error' in changed ? {} : changed;
      return { files: { ...fileChanges(before, after, changes, incomplete), ...known } };
    },
    async capture(label, signal) {
      const taken = await tracker.snapshot(label, signal);
      return 'error' in taken ? undefined : taken.tree;
    },
    disturb() {
      tree = undefined;
      fingerprint = undefined;
    },
    history: tracker,
    close: () => tracker.close(),
  };
}

/** A larger change is new as a whole. */
function isComparable({ changedFiles, changedLines }: TreeChanges): boolean {
  return changedFiles > 0 && changedFiles <= MOST_COMPARED_FILES && changedLines <= MOST_COMPARED_LINES;
}

const NO_CHANGES: TreeChanges = { created: [], modified: [], deleted: [], changedFiles: 0, changedLines: 0 };

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
    ...(changes.changedFiles === 0
      ? {}
      : { kinds: countKinds([...changes.created, ...changes.modified, ...changes.deleted]) }),
    ...(incomplete.length === 0 ? {} : { incomplete: incomplete.slice(0, RECORDED_NAMES) }),
  };
}

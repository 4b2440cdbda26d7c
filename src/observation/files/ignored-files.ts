import { type CallLimits, GitFailed } from './git-tool.js';
import { statOf } from './large-files.js';
import { fileAt, type PathBytes, splitPaths } from './path-bytes.js';
import type { ShadowRepository } from './shadow-repository.js';
import type { TreeStatus } from './tree-status.js';
import type { UserGit } from './user-git.js';

export interface IgnoredFiles {
  /** Ignored by a rule but tracked by the user: they belong into a snapshot. */
  readonly tracked: readonly PathBytes[];
  /** In the shadow's index, and ignored since: they do not belong there any more. */
  readonly leftOver: readonly PathBytes[];
  /** Why it could not be told, in git's words. */
  readonly unknown: readonly string[];
}

const NONE: IgnoredFiles = { tracked: [], leftOver: [], unknown: [] };

/**
 * A snapshot is all files minus ignored ones, plus ignored ones that the user tracks, whatever was there before. Git alone
 * does not keep to that once a rule changes; asked only when a rule, or what the user tracks, may have changed.
 */
export class IgnoredFilesWatch {
  readonly #shadow: ShadowRepository;
  readonly #user: UserGit;
  #indexMark: string | undefined;
  #tracked: ReadonlySet<PathBytes> | undefined;
  /** Tracked by the user, but not there: they are looked for at every snapshot, as no status shows them. */
  #absent: readonly PathBytes[] = [];

  constructor(shadow: ShadowRepository, user: UserGit) {
    this.#shadow = shadow;
    this.#user = user;
  }

  /** The next look asks again, whatever seems to have changed. */
  forget(): void {
    this.#tracked = undefined;
  }

  async look(status: Pick<TreeStatus, 'changed' | 'removed'>, limits: CallLimits): Promise<IgnoredFiles> {
    const indexMark = this.#user.indexMark();
    const hasNewRules = [...status.changed, ...status.removed].some(isRules);
    const known = indexMark === this.#indexMark && !hasNewRules ? this.#tracked : undefined;
    if (known !== undefined) {
      const waiting = [...this.#absent, ...status.removed.filter((path) => known.has(path))];
      return { ...NONE, tracked: this.#present(waiting) };
    }
    this.forget();
    const [tracked, { stdout }] = await Promise.all([
      this.#trackedByUser(limits),
      this.#shadow.git(['ls-files', '-ci', '--exclude-standard', '-z'], limits),
    ]);
    if (tracked instanceof GitFailed) return { ...NONE, unknown: [tracked.message] };
    const wanted = new Set(tracked);
    this.#tracked = wanted;
    this.#indexMark = indexMark;
    const leftOver = splitPaths(stdout).filter((path) => !wanted.has(path));
    return { ...NONE, tracked: this.#present(tracked), leftOver };
  }

  /** Those that are there; the others are looked for again. */
  #present(paths: readonly PathBytes[]): readonly PathBytes[] {
    const { top } = this.#shadow.tree;
    const present = new Set(paths.filter((path) => statOf(fileAt(top, path))?.isDirectory() === false));
    this.#absent = paths.filter((path) => !present.has(path));
    return [...present];
  }

  /** A repository of the user's that git cannot read is no reason to see nothing at all. */
  async #trackedByUser(limits: CallLimits): Promise<readonly PathBytes[] | GitFailed> {
    try {
      const { ownFiles } = this.#shadow;
      return (await this.#user.trackedIgnored(limits)).filter((path) => !ownFiles.includes(path));
    } catch (error) {
      if (error instanceof GitFailed && error.isDamage) return error;
      throw error;
    }
  }
}

function isRules(path: PathBytes): boolean {
  return path === '.gitignore' || path.endsWith('/.gitignore');
}

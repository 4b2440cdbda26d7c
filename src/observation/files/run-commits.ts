import { type CallLimits, GitFailed } from './git-tool.js';
import type { ShadowRepository } from './shadow-repository.js';

export function refOfRun(runId: string): string {
  return `refs/runs/${runId.replaceAll(/[^\w-]/g, '-')}`;
}

/** Keeps the snapshots of a run as a chain of commits, so that nothing throws them away and each can be restored. */
export class RunCommits {
  readonly #shadow: ShadowRepository;
  readonly #ref: string;
  #last: string | undefined;

  constructor(shadow: ShadowRepository, runId: string) {
    this.#shadow = shadow;
    this.#ref = refOfRun(runId);
  }

  forget(): void {
    this.#last = undefined;
  }

  /** A tree that equals the one before is in the chain already. */
  async add(tree: string, label: string, limits: CallLimits): Promise<void> {
    const parent = this.#last ?? (await this.#recorded(limits));
    const parents = parent === undefined ? [] : ['-p', parent];
    const { stdout } = await this.#shadow.git(['commit-tree', ...parents, '-m', label, tree], limits);
    const commit = stdout.toString().trim();
    this.#shadow.setRef(this.#ref, commit);
    // HEAD is what the next status compares the index with.
    this.#shadow.setRef('HEAD', commit);
    this.#last = commit;
  }

  /** What a process before this one left of the same run. */
  async #recorded(limits: CallLimits): Promise<string | undefined> {
    try {
      const { stdout } = await this.#shadow.git(['rev-parse', '-q', '--verify', `${this.#ref}^{commit}`], limits);
      return stdout.toString().trim();
    } catch (error) {
      if (error instanceof GitFailed && error.isDamage) return undefined;
      throw error;
    }
  }
}

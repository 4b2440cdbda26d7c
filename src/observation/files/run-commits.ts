import { isLooseObject, writeCommit } from './commit-object.js';
import { type CallLimits, GitFailed } from './git-tool.js';
import { COMMITTER, type ShadowRepository } from './shadow-repository.js';

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
    const commit = await this.#commit(tree, parent, label, limits);
    this.#shadow.setRef(this.#ref, commit);
    // HEAD is what the next status compares the index with.
    this.#shadow.setRef('HEAD', commit);
    this.#last = commit;
  }

  async #commit(tree: string, parent: string | undefined, message: string, limits: CallLimits): Promise<string> {
    const { folder } = this.#shadow;
    if (parent === undefined || isLooseObject(folder, parent)) {
      const by = `${COMMITTER.name} <${COMMITTER.email}>`;
      return writeCommit(folder, { tree, parent, message, by });
    }
    // Git knows where else it is, or that it is lost.
    const { stdout } = await this.#shadow.git(['commit-tree', '-p', parent, '-m', message, tree], limits);
    return stdout.toString().trim();
  }

  /** What a process before this one left of the same run. */
  async #recorded(limits: CallLimits): Promise<string | undefined> {
    if (!this.#shadow.mayHaveRef(this.#ref)) return undefined;
    try {
      const { stdout } = await this.#shadow.git(['rev-parse', '-q', '--verify', `${this.#ref}^{commit}`], limits);
      return stdout.toString().trim();
    } catch (error) {
      if (error instanceof GitFailed && error.isDamage) return undefined;
      throw error;
    }
  }
}

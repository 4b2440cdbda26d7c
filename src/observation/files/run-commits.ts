import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { IDENTITY } from '../../workspace/git.js';
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
    const commit = await this.#commit(tree, parent, label, limits);
    this.#shadow.setRef(this.#ref, commit);
    // HEAD is what the next status compares the index with.
    this.#shadow.setRef('HEAD', commit);
    this.#last = commit;
  }

  async #commit(tree: string, parent: string | undefined, message: string, limits: CallLimits): Promise<string> {
    const { folder } = this.#shadow;
    if (parent === undefined || isLooseObject(folder, parent)) {
      return writeCommit(folder, { tree, parent, message });
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

interface Commit {
  readonly tree: string;
  readonly parent?: string | undefined;
  readonly message: string;
}

/** Puts a commit into a repository as git would, but without a process, and returns its name. */
function writeCommit(repository: string, { tree, parent, message }: Commit): string {
  const moment = `${IDENTITY.name} <${IDENTITY.email}> ${Math.floor(Date.now() / 1000)} +0000`;
  const parents = parent === undefined ? '' : `parent ${parent}\n`;
  const text = `tree ${tree}\n${parents}author ${moment}\ncommitter ${moment}\n\n${message}\n`;
  const object = Buffer.from(`commit ${Buffer.byteLength(text)}\0${text}`);
  const name = createHash('sha1').update(object).digest('hex');
  const file = looseFile(repository, name);
  if (!existsSync(dirname(file))) mkdirSync(dirname(file));
  // Should it be left behind, git takes it away by this name.
  const draft = join(repository, 'objects', 'tmp_obj_pawl');
  writeFileSync(draft, deflateSync(object), { mode: 0o600 });
  renameSync(draft, file);
  return name;
}

/** Whether an object has a file of its own: it may be in a pack instead, or lost. */
function isLooseObject(repository: string, name: string): boolean {
  return (statSync(looseFile(repository, name), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function looseFile(repository: string, name: string): string {
  return join(repository, 'objects', name.slice(0, 2), name.slice(2));
}

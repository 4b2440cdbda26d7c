import { existsSync, readdirSync, statSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, dirname } from 'node:path';
import type { Environment } from '../../process/run-tool.js';
import { type CallLimits, GitFailed, ShadowRepository, findStateFolder, shadowFolder } from './shadow-repository.js';
import { ownFilesIn, findWorkTree } from './work-tree.js';
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { IDENTITY } from '../../workspace/git.js';

const TIMEOUT_MS = 10 * 60_000;
/** While a run takes snapshots, what is younger may belong to one that is not finished. */
const YOUNGEST = '1.hour.ago';

const LARGE_STORE_BYTES = 1e9;

/** What to do about a store of this size; undefined when it is small. */
export function storeAdvice(bytes: number | undefined): string | undefined {
  return bytes === undefined || bytes < LARGE_STORE_BYTES
    ? undefined
    : 'pawl prune --keep 30d removes old runs and their snapshots';
}

/** What all snapshots of a folder take on disk; undefined when it is unknown. */
export function storeBytes(workingDir: string, environment: Environment): number | undefined {
  try {
    const shadow = shadowOf(workingDir, environment);
    return shadow === undefined ? 0 : bytesBelow(join(shadow.folder, 'objects'));
  } catch {
    return undefined;
  }
}

/** What of that is for these runs, with the snapshot that the next one is compared with. */
export async function snapshotBytes(
  workingDir: string,
  runIds: readonly string[],
  environment: Environment,
): Promise<number> {
  const shadow = shadowOf(workingDir, environment);
  if (shadow === undefined) return 0;
  const limits = { endsAtMs: performance.now() + TIMEOUT_MS };
  const { stdout } = await shadow.git(['for-each-ref', '--format=%(refname)', 'refs/runs'], limits);
  const known = new Set(stdout.toString().split('\n'));
  const refs = runIds.map(refOfRun).filter((ref) => known.has(ref));
  const args = ['rev-list', '--objects', '--disk-usage', '--indexed-objects', '--ignore-missing', '--stdin'];
  const input = [...refs, 'HEAD^{tree}'].map((ref) => `${ref}\n`).join('');
  const usage = await shadow.git(args, limits, { input });
  return Number(usage.stdout.toString());
}

/** Forgets the snapshots of runs and frees the room that nothing else needs. Throws GitFailed. */
export async function pruneSnapshots(
  workingDir: string,
  runIds: readonly string[],
  { environment, isLive }: { readonly environment: Environment; readonly isLive: boolean },
): Promise<void> {
  const shadow = shadowOf(workingDir, environment);
  if (shadow === undefined) return;
  const limits = { endsAtMs: performance.now() + TIMEOUT_MS };
  const input = runIds.map((runId) => `delete ${refOfRun(runId)}\0\0`).join('');
  await shadow.git(['update-ref', '-z', '--stdin'], limits, { input });
  // HEAD would keep all snapshots of the run that was the last.
  if (!isLive) await forgetHistory(shadow, limits);
  const expiry = isLive ? YOUNGEST : 'now';
  await shadow.git(['repack', '-A', '-d', '-q', `--unpack-unreachable=${expiry}`], limits);
  await shadow.git(['prune', `--expire=${expiry}`], limits);
}

/** Leaves HEAD at a commit of the same tree that has no commit before it. */
async function forgetHistory(shadow: ShadowRepository, limits: CallLimits): Promise<void> {
  try {
    const { stdout } = await shadow.git(['commit-tree', '-m', 'the last snapshot', 'HEAD^{tree}'], limits);
    shadow.setRef('HEAD', stdout.toString().trim());
  } catch (error) {
    // There is no snapshot yet.
    if (!(error instanceof GitFailed) || !error.isDamage) throw error;
  }
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? bytesBelow(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0));
  }, 0);
}

/** Undefined when nothing was ever kept. */
function shadowOf(workingDir: string, environment: Environment): ShadowRepository | undefined {
  const stateFolder = findStateFolder(environment);
  if (stateFolder === undefined) return undefined;
  const tree = findWorkTree(workingDir);
  const folder = shadowFolder(stateFolder, tree.top);
  if (!existsSync(folder)) return undefined;
  return new ShadowRepository({ folder, tree, ownFiles: ownFilesIn(tree, stateFolder), environment });
}

function refOfRun(runId: string): string {
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

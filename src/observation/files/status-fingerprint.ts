import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type CallLimits, GitFailed, type ShadowRepository } from './shadow-repository.js';
import { fileAt, type PathBytes, splitPaths } from './work-tree.js';
import { alternateObjects, type UserGit } from './user-git.js';

const MOST_CHANGED = 20_000;
/** Of a larger file the size and the modification time stand for the content. */
const MOST_READ_BYTES = 1024 * 1024;
const PREFIX = 'status:';
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/**
 * One figure for all files of a git work tree that is too large for snapshots: the same content has the same figure,
 * committed or not. It compares the files with the commit that was checked out at the first look, with the help of the
 * user's index, which is only read. Our own repository is the one that git opens, so nothing that the user's names is executed.
 */
export class StatusFingerprint {
  readonly #shadow: ShadowRepository;
  readonly #user: UserGit;
  #base: string | undefined;

  constructor(shadow: ShadowRepository, user: UserGit) {
    this.#shadow = shadow;
    this.#user = user;
  }

  /** Throws GitFailed when git cannot tell, or when there is too much to compare. */
  async take(limits: CallLimits): Promise<string> {
    const { tree } = this.#shadow;
    if (tree.git === undefined) throw new GitFailed('the folder is not in a git repository');
    if (existsSync(join(tree.top, '.gitmodules'))) throw new GitFailed('the repository has submodules');
    this.#base ??= (await this.#user.headTree(limits)) ?? EMPTY_TREE;
    const variables = {
      GIT_INDEX_FILE: join(tree.git.gitDir, 'index'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: alternateObjects(tree.git),
      GIT_OPTIONAL_LOCKS: '0',
    };
    const changed = ['diff-index', '--raw', '-z', '--no-renames', '--ignore-submodules=all', this.#base, '--'];
    const added = ['ls-files', '-z', '--others', '--exclude-standard'];
    const [raw, others] = await Promise.all(
      [changed, added].map(async (args) => (await this.#shadow.git(args, limits, { variables })).stdout),
    );
    return this.#figure(splitPaths(raw ?? Buffer.of()), splitPaths(others ?? Buffer.of()));
  }

  #figure(raw: readonly string[], untracked: readonly PathBytes[]): string {
    const added = untracked.filter((path) => !this.#shadow.ownFiles.includes(path));
    const nested = added.find((path) => path.endsWith('/'));
    if (nested !== undefined) throw new GitFailed(`${nested} is a separate repository`);
    if (raw.length / 2 + added.length > MOST_CHANGED) {
      throw new GitFailed(`more than ${MOST_CHANGED.toLocaleString('en-US')} files differ from the last commit`);
    }
    const lines = added.map((path) => `${path}\0${this.#contentOf(path)}`);
    // Pairs of `:100644 100755 <before> <after> M` and a path.
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const [modeBefore = '', mode = '', before = '', after = ''] = (raw[at] ?? '').slice(1).split(' ');
      const path = raw[at + 1] ?? '';
      const content = /[^0]/.test(after) ? `${mode} ${after}` : this.#contentOf(path);
      if (content !== `${modeBefore} ${before}`) lines.push(`${path}\0${content}`);
    }
    const hash = createHash('sha256').update(this.#base ?? '');
    for (const line of lines.sort()) hash.update(`\0${line}`);
    return `${PREFIX}${hash.digest('hex').slice(0, 40)}`;
  }

  /** Mode and name of the content, as git writes them. */
  #contentOf(path: PathBytes): string {
    const file = fileAt(this.#shadow.tree.top, path);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return 'gone';
    if (stat.isSymbolicLink()) return `120000 ${blobName(Buffer.from(readlinkSync(file, 'buffer')))}`;
    const mode = (stat.mode & 0o100) === 0 ? '100644' : '100755';
    if (!stat.isFile() || stat.size > MOST_READ_BYTES) return `${mode} ${stat.size} ${stat.mtimeMs}`;
    try {
      return `${mode} ${blobName(readFileSync(file))}`;
    } catch {
      return `${mode} ${stat.size} ${stat.mtimeMs}`;
    }
  }
}

/** Whether it is a fingerprint, and not a tree. */
export function isFingerprint(name: string): boolean {
  return name.startsWith(PREFIX);
}

function blobName(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

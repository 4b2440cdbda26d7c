import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../process/run-tool.js';
import type { GitPlace } from '../../workspace/git.js';
import { type CallLimits, callGit, GitFailed, type ShadowRepository } from './shadow-repository.js';
import { type PathBytes, splitPaths, type WorkTree, type UserRepository } from './work-tree.js';

/** Of the user's settings, those that say how the tree is to be seen. */
const SEEN_BY = ['core.filemode', 'core.symlinks', 'core.ignorecase', 'core.precomposeunicode'];

/** Reads what only the user's repository knows. Nothing is written there. */
export class UserGit {
  readonly #tree: WorkTree;
  readonly #environment: Environment;

  constructor(tree: WorkTree, environment: Environment) {
    this.#tree = tree;
    this.#environment = environment;
  }

  /** Reading a configuration executes nothing, so that the user's whole one may be active here. */
  async settings(limits: CallLimits): Promise<Readonly<Record<string, string>>> {
    const pattern = `^(${SEEN_BY.join('|').replaceAll('.', '\\.')})$`;
    const [shown, excludes] = await Promise.all([
      this.#config(['-z', '--get-regexp', pattern], limits),
      this.#config(['-z', '--type=path', '--get', 'core.excludesfile'], limits),
    ]);
    const settings = Object.fromEntries(
      // A key without a value means true.
      shown.split('\0').flatMap((entry) => (entry === '' ? [] : [pairOf(entry)])),
    );
    return excludes === '' ? settings : { ...settings, 'core.excludesfile': excludes.replace(/\0$/, '') };
  }

  /** Files that the user tracks although a rule ignores them. */
  async trackedIgnored(limits: CallLimits): Promise<readonly PathBytes[]> {
    if (this.indexMark() === undefined) return [];
    const args = ['ls-files', '-ci', '--exclude-standard', '-z'];
    return splitPaths((await callGit(this.#place(), args, limits)).stdout);
  }

  /** What git tracks below the given paths, or what it ignores there: from the working directory, folders with a slash. */
  async list(which: 'tracked' | 'ignored', below: readonly string[], limits: CallLimits): Promise<readonly string[]> {
    const { git, workingDir } = this.#tree;
    const inside = below.map((path) => path || '.').filter((path) => path !== '..' && !path.startsWith('../'));
    if (git === undefined || inside.length === 0) return [];
    const what = which === 'tracked' ? [] : ['--others', '--ignored', '--exclude-standard', '--directory'];
    const place = this.#place({ GIT_LITERAL_PATHSPECS: '1' });
    const { output } = await callGit(
      { ...place, folder: workingDir },
      ['ls-files', ...what, '-z', '--', ...inside],
      limits,
    );
    return output.split('\0').filter((path) => path !== '');
  }

  /** Changes when the user's index does. */
  indexMark(): string | undefined {
    if (this.#tree.git === undefined) return undefined;
    const stat = statSync(join(this.#tree.git.gitDir, 'index'), { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? undefined : `${stat.mtimeNs} ${stat.size} ${stat.ino}`;
  }

  /** The objects of HEAD and of the index, by name. */
  async objectNames(limits: CallLimits): Promise<Buffer> {
    if (this.#tree.git === undefined) return Buffer.alloc(0);
    const which = ['--objects', '--no-object-names', '--missing=allow-any', '--indexed-objects', 'HEAD^{tree}'];
    return (await callGit(this.#place(), ['rev-list', ...which], limits)).stdout;
  }

  /** The tree of the commit that is checked out; undefined before the first commit. */
  async headTree(limits: CallLimits): Promise<string | undefined> {
    if (this.#tree.git === undefined) return undefined;
    try {
      return (await callGit(this.#place(), ['rev-parse', '-q', '--verify', 'HEAD^{tree}'], limits)).output;
    } catch (error) {
      if (error instanceof GitFailed && error.isDamage) return undefined;
      throw error;
    }
  }

  /** Without a repository, one that does not exist: git must not look for another. */
  #place(variables = {}): GitPlace {
    const { top, git } = this.#tree;
    return {
      folder: top,
      environment: this.#environment,
      gitDir: git?.gitDir ?? '/dev/null',
      workTree: top,
      isIsolated: true,
      settings: { 'core.untrackedCache': 'keep' },
      variables: { GIT_OPTIONAL_LOCKS: '0', ...variables },
    };
  }

  /** What git prints, or nothing when the setting is absent or cannot be read. */
  async #config(args: readonly string[], limits: CallLimits): Promise<string> {
    try {
      const place = { ...this.#place(), isIsolated: false };
      return (await callGit(place, ['config', '--includes', ...args], limits)).output;
    } catch (error) {
      if (error instanceof GitFailed && error.isDamage) return '';
      throw error;
    }
  }
}

function pairOf(entry: string): readonly [string, string] {
  const [key = '', ...value] = entry.split('\n');
  return [key, value.length === 0 ? 'true' : value.join('\n')];
}

/**
 * Copies the objects of the user's HEAD and index in one pack, which is quicker than making them from the files. Only
 * that: whether it worked is told, and the snapshot is the same without.
 */
export async function seedObjects(shadow: ShadowRepository, user: UserGit, limits: CallLimits): Promise<boolean> {
  const { git } = shadow.tree;
  if (git === undefined) return false;
  try {
    const input = await user.objectNames(limits);
    if (input.length === 0) return false;
    const objects = join(shadow.folder, 'objects');
    const variables = {
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: alternateObjects(git),
    };
    await shadow.git(['pack-objects', '-q', '--window=0', join(objects, 'pack', 'pack')], limits, { input, variables });
    return true;
  } catch (error) {
    if (error instanceof GitFailed && error.isDamage) return false;
    throw error;
  }
}

/** The user's objects for GIT_ALTERNATE_OBJECT_DIRECTORIES, quoted because it is a list with colons between. */
export function alternateObjects({ commonDir }: UserRepository): string {
  const path = join(commonDir, 'objects');
  return `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

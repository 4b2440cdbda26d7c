import { statSync } from 'node:fs';
import { join } from 'node:path';
import { EXECUTES_NOTHING } from '../../process/repository-settings.js';
import { type CallLimits, callGit, type Environment, GitFailed, isolated, withoutGitVariables } from './git-tool.js';
import { type PathBytes, splitPaths } from './path-bytes.js';
import type { WorkTree } from './work-tree.js';

/** Of the user's settings, those that say how the tree is to be seen. */
const SEEN_BY = ['core.filemode', 'core.symlinks', 'core.ignorecase', 'core.precomposeunicode'];
const SETTINGS = { ...EXECUTES_NOTHING, 'core.untrackedCache': 'keep' };

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
    const { git, top } = this.#tree;
    if (git === undefined || this.indexMark() === undefined) return [];
    const env = { ...isolated(this.#environment, SETTINGS), GIT_OPTIONAL_LOCKS: '0' };
    const args = [`--git-dir=${git.gitDir}`, `--work-tree=${top}`, 'ls-files', '-ci', '--exclude-standard', '-z'];
    return splitPaths((await callGit({ args, env, cwd: this.#tree.top, limits })).stdout);
  }

  /** What git tracks below the given paths, or what it ignores there: from the working directory, folders with a slash. */
  async list(which: 'tracked' | 'ignored', below: readonly string[], limits: CallLimits): Promise<readonly string[]> {
    const { git, top, workingDir } = this.#tree;
    const inside = below.map((path) => path || '.').filter((path) => path !== '..' && !path.startsWith('../'));
    if (git === undefined || inside.length === 0) return [];
    const env = {
      ...isolated(this.#environment, SETTINGS),
      GIT_OPTIONAL_LOCKS: '0',
      GIT_LITERAL_PATHSPECS: '1',
    };
    const place = [`--git-dir=${git.gitDir}`, `--work-tree=${top}`];
    const what = which === 'tracked' ? [] : ['--others', '--ignored', '--exclude-standard', '--directory'];
    const args = [...place, 'ls-files', ...what, '-z', '--', ...inside];
    const { stdout } = await callGit({ args, env, cwd: workingDir, limits });
    return stdout
      .toString('utf8')
      .split('\0')
      .filter((path) => path !== '');
  }

  /** Changes when the user's index does. */
  indexMark(): string | undefined {
    if (this.#tree.git === undefined) return undefined;
    const stat = statSync(join(this.#tree.git.gitDir, 'index'), { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? undefined : `${stat.mtimeNs} ${stat.size} ${stat.ino}`;
  }

  /** The objects of HEAD and of the index, by name. */
  async objectNames(limits: CallLimits): Promise<Buffer> {
    const gitDir = this.#tree.git?.gitDir;
    if (gitDir === undefined) return Buffer.alloc(0);
    const which = ['--objects', '--no-object-names', '--missing=allow-any', '--indexed-objects', 'HEAD^{tree}'];
    const env = { ...isolated(this.#environment, SETTINGS), GIT_OPTIONAL_LOCKS: '0' };
    const args = [`--git-dir=${gitDir}`, 'rev-list', ...which];
    return (await callGit({ args, env, cwd: this.#tree.top, limits })).stdout;
  }

  /** The tree of the commit that is checked out; undefined before the first commit. */
  async headTree(limits: CallLimits): Promise<string | undefined> {
    const gitDir = this.#tree.git?.gitDir;
    if (gitDir === undefined) return undefined;
    const env = { ...isolated(this.#environment, SETTINGS), GIT_OPTIONAL_LOCKS: '0' };
    const args = [`--git-dir=${gitDir}`, 'rev-parse', '-q', '--verify', 'HEAD^{tree}'];
    try {
      return (await callGit({ args, env, cwd: this.#tree.top, limits })).stdout.toString().trim();
    } catch (error) {
      if (error instanceof GitFailed && error.isDamage) return undefined;
      throw error;
    }
  }

  /** What git prints, or nothing when the setting is absent or cannot be read. */
  async #config(args: readonly string[], limits: CallLimits): Promise<string> {
    // Without a repository something is named that is none: git looks for none of its own accord.
    const gitDir = this.#tree.git?.gitDir ?? '/dev/null';
    const env = { ...withoutGitVariables(this.#environment), LC_ALL: 'C', GIT_DIR: gitDir };
    try {
      const call = { args: ['config', '--includes', ...args], env, cwd: this.#tree.top, limits };
      return (await callGit(call)).stdout.toString('utf8');
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

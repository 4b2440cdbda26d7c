import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { type GitPlace, ownTree, runGit } from './git.js';

/** With a file that the index knows, git looks into a folder that has a repository of its own. The next update removes it. */
export const NESTED_PLACEHOLDER = '.pawl-placeholder';
/** Each round looks one nested repository deeper. */
export const MOST_NESTED = 50;
export const TOO_DEEP = `repositories are nested more than ${MOST_NESTED} deep`;

export interface StagedWork {
  /** Repositories that are staged as links: their files are not. */
  readonly links: readonly string[];
  /** Those that are staged with their files, from now on. */
  readonly taken: readonly string[];
  /** Other working trees of the same repository, of which nothing is staged. */
  readonly leftOut: readonly string[];
}

/** Stages all that lies in the working directory as git does it: a repository inside it is a link to its commit. */
export async function stageWork(place: GitPlace): Promise<StagedWork | { readonly error: string }> {
  const { error, stderr } = await runGit(place, ADD_ALL);
  if (error !== undefined) return { error };
  const links = stderr.matchAll(new RegExp(EMBEDDED, 'gm'));
  return { links: Array.from(links, ([, path = '']) => path), taken: [], leftOut: [] };
}

/**
 * Stages all that lies in the top of a working tree, with the files of repositories that came into it since a commit; their
 * own history stays where it is. Only what `.gitmodules` names stays a link, unless its commit is nowhere else.
 */
export async function stageWithNested(
  place: GitPlace,
  since: string,
  mayHoldLinks = true,
): Promise<StagedWork | { readonly error: string }> {
  const taken: string[] = [];
  const leftOut: string[] = [];
  for (let round = 0; round < MOST_NESTED; round += 1) {
    const without = leftOut.map((path) => `:(exclude,literal)${shown(path)}`);
    // oxlint-disable-next-line no-await-in-loop -- each round looks one repository deeper
    const added = await runGit(place, [...ADD_ALL, ...without]);
    const isStuck = added.error?.endsWith(' does not have a commit checked out') === true;
    if (added.error !== undefined && !isStuck) return { error: added.error };
    if (!isStuck && round === 0 && !mayHoldLinks && !EMBEDDED.test(added.stderr)) return NOTHING_NESTED;
    // oxlint-disable-next-line no-await-in-loop -- as above
    const nested = await findNested(place, since, isStuck);
    if ('error' in nested) return nested;
    const others = nested.repositories.filter(({ path }) => isSameRepository(place.folder, path));
    const repositories = nested.repositories.filter((repository) => !others.includes(repository));
    taken.push(...repositories.map(({ path }) => path));
    leftOut.push(...others.map(({ path }) => path));
    // oxlint-disable-next-line no-await-in-loop -- as above
    const error = await unlink(place, others, repositories);
    if (error !== undefined) return { error };
    if (repositories.length === 0 && isStuck && others.length === 0) return { error: added.error ?? '' };
    if (repositories.length === 0 && !isStuck)
      return { links: [], taken: taken.map(shown), leftOut: leftOut.map(shown) };
  }
  return { error: TOO_DEEP };
}

const EMBEDDED = /^warning: adding embedded git repository: (.*)$/m;
const NOTHING_NESTED: StagedWork = { links: [], taken: [], leftOut: [] };
const ADD_ALL = ['add', '--all', '--', '.'];

/** The path has a character for each byte. */
interface Nested {
  readonly path: string;
  /** Of the link; none is staged for a repository that has no commit. */
  readonly commit?: string | undefined;
}

type Found = { readonly repositories: readonly Nested[] } | { readonly error: string };

async function findNested(place: GitPlace, since: string, hasUnstaged: boolean): Promise<Found> {
  const staged = await runGit(place, [...LINKS, since, '--']);
  if (/bad (?:object|revision)/.test(staged.error ?? '')) return { error: `${since.slice(0, 10)}, ${GONE}` };
  if (staged.error !== undefined) return { error: staged.error };
  const links = linksIn(staged.stdout.toString('latin1')).filter(({ path }) => isRepository(place.folder, path));
  const modules = links.length === 0 ? new Set<string>() : await submodules(place);
  const lost = await Promise.all(links.filter(({ path }) => modules.has(path)).map((link) => problemOf(place, link)));
  const error = lost.find((problem) => problem !== undefined);
  if (error !== undefined) return { error };
  const unstaged = hasUnstaged ? await untracked(place) : [];
  return { repositories: [...links.filter(({ path }) => !modules.has(path)), ...unstaged] };
}

const GONE = 'the commit that the work began with, is gone from the repository';
const LINKS = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--ignore-submodules=none', '--no-abbrev'];

function linksIn(raw: string): readonly Nested[] {
  const fields = raw.split('\0');
  return fields.flatMap((field, at) => {
    const commit = /^:\d+ 160000 [0-9a-f]+ ([0-9a-f]+) /.exec(field)?.[1];
    const path = fields[at + 1];
    return commit === undefined || path === undefined ? [] : [{ path, commit }];
  });
}

async function untracked(place: GitPlace): Promise<readonly Nested[]> {
  const { stdout } = await runGit(place, ['ls-files', '--others', '--exclude-standard', '-z']);
  return stdout
    .toString('latin1')
    .split('\0')
    .filter((path) => path.endsWith('/'))
    .map((path) => ({ path: path.slice(0, -1) }));
}

async function submodules(place: GitPlace): Promise<ReadonlySet<string>> {
  const words = ['config', '-z', '--file', '.gitmodules', '--get-regexp', String.raw`^submodule\..*\.path$`];
  const { stdout } = await runGit(place, words);
  const paths = stdout.toString('latin1').split('\0');
  return new Set(paths.map((entry) => entry.slice(entry.indexOf('\n') + 1)));
}

/** A commit that no remote of the submodule has is nowhere but here. */
async function problemOf(place: GitPlace, { path, commit = '' }: Nested): Promise<string | undefined> {
  const inside = { ...place, ...ownTree(join(place.folder, shown(path))) };
  const known = await runGit(inside, ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/remotes']);
  if (known.error !== undefined || known.output !== '') return undefined;
  return `the submodule ${shown(path)} is at ${commit.slice(0, 10)}, a commit that was pushed nowhere`;
}

/** Takes links out of the index; of those that are to be files it then knows one, so that git looks for the others. */
async function unlink(
  place: GitPlace,
  others: readonly Nested[],
  repositories: readonly Nested[],
): Promise<string | undefined> {
  if (others.length + repositories.length === 0) return undefined;
  const empty = await runGit(place, ['hash-object', '-w', '--stdin'], '');
  if (empty.error !== undefined) return empty.error;
  const entries = [
    ...[...others, ...repositories].map(({ path }) => `0 ${empty.output} 0\t${path}\0`),
    ...repositories.map(({ path }) => `100644 ${empty.output} 0\t${path}/${NESTED_PLACEHOLDER}\0`),
  ];
  const input = Buffer.from(entries.join(''), 'latin1');
  return (await runGit(place, ['update-index', '-z', '--index-info'], input)).error;
}

function isRepository(top: string, path: string): boolean {
  return lstatSync(gitIn(top, path), { throwIfNoEntry: false }) !== undefined;
}

/** A working tree that the agent has made with `git worktree add`. */
function isSameRepository(top: string, path: string): boolean {
  try {
    const target = /^gitdir: (.+)$/m.exec(readFileSync(gitIn(top, path), 'utf8'))?.[1];
    const own = join(realpathSync(join(top, '.git')), 'worktrees');
    return target !== undefined && realpathSync(resolve(top, shown(path), target)).startsWith(`${own}${sep}`);
  } catch {
    return false;
  }
}

function gitIn(top: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(`${path}/.git`, 'latin1')]);
}

function shown(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

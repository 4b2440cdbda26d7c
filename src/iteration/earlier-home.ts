import type { Dirent } from 'node:fs';
import { lstat, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

const MOST_ENTRIES = 20_000;
const MOST_DEPTH = 6;
/** Tools write more, or larger files: what they download or keep for themselves stays. */
const MOST_FILES = 20;
const MOST_BYTES = 64 * 1024;
/** Folders of folders: what is below one of these belongs together. */
const CONTAINER = /^(?:\.cache|\.config|\.local(?:\/(?:share|state))?)$/;
/** Packages stay as the agent left them. */
const PACKAGES =
  /(?:^|\/)(?:node_modules|site-packages|\.git|\.cargo|\.rustup|\.npm|\.nvm|\.pyenv|\.rbenv|\.gem|\.m2|\.gradle|\.nuget|go\/pkg)$/;

interface HomeFile {
  /** Relative to the home folder. */
  readonly path: string;
  readonly isLarge: boolean;
}

export interface HomeAsked {
  readonly environment: Environment;
  /** An empty folder, which becomes the home folder where that is needed. */
  readonly folder: string;
  readonly startedAtMs: number;
  /** Folders that are not searched. */
  readonly without: readonly string[];
}

/**
 * The variables of an environment whose home folder does not have the few small files that were made in it since the run
 * started: all else is there, by links. Empty where no such file was made.
 */
export async function earlierHome({ environment, folder, startedAtMs, without }: HomeAsked): Promise<Environment> {
  const home = environment['HOME'] ?? '';
  if (!isAbsolute(home) || home === '/') return {};
  const containers = xdgFolders(environment, home);
  const made = await madeSince(home, startedAtMs, without);
  const groups = new Map<string, HomeFile[]>();
  for (const file of made) {
    const group = groupOf(file.path, containers);
    groups.set(group, [...(groups.get(group) ?? []), file]);
  }
  const byHand = [...groups.values()].filter((files) => {
    return files.length <= MOST_FILES && files.every(({ isLarge }) => !isLarge);
  });
  const hidden = new Set(byHand.flat().map(({ path }) => path));
  if (hidden.size === 0) return {};
  await linkAll(home, folder, '', hidden);
  const moved = Object.entries(environment).filter(
    ([name, value]) => /^XDG_\w+_HOME$/.test(name) && value?.startsWith(`${home}${sep}`) === true,
  );
  return {
    HOME: folder,
    ...Object.fromEntries(moved.map(([name, value = '']) => [name, folder + value.slice(home.length)])),
  };
}

function xdgFolders(environment: Environment, home: string): readonly string[] {
  const values = Object.entries(environment).flatMap(([name, value]) => (/^XDG_\w+_HOME$/.test(name) ? [value] : []));
  return values.flatMap((value) => (value?.startsWith(`${home}${sep}`) === true ? [value.slice(home.length + 1)] : []));
}

/** The topmost folder or file that is no folder of folders. */
function groupOf(path: string, containers: readonly string[]): string {
  const parts = path.split('/');
  let depth = 1;
  for (; depth < parts.length; depth += 1) {
    const above = parts.slice(0, depth).join('/');
    if (!CONTAINER.test(above) && !containers.includes(above)) break;
  }
  return parts.slice(0, depth).join('/');
}

/** The nearest folders first. */
async function madeSince(home: string, startedAtMs: number, without: readonly string[]): Promise<readonly HomeFile[]> {
  const found: HomeFile[] = [];
  const folders = [''];
  let seen = 0;
  for (let folder = folders.shift(); folder !== undefined && seen < MOST_ENTRIES; folder = folders.shift()) {
    // oxlint-disable-next-line no-await-in-loop -- one folder after the other keeps few of them in memory
    const entries = await entriesOf(join(home, folder));
    seen += entries.length;
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const isSearched = !PACKAGES.test(path) && !without.includes(join(home, path));
      if (entry.isDirectory() && isSearched && path.split('/').length < MOST_DEPTH) folders.push(path);
      if (!entry.isFile()) continue;
      // oxlint-disable-next-line no-await-in-loop -- as above
      const stats = await lstat(join(home, path)).catch(() => undefined);
      if (stats !== undefined && stats.birthtimeMs >= startedAtMs)
        found.push({ path, isLarge: stats.size > MOST_BYTES });
    }
  }
  return found;
}

/** The same folder, by links, without what is hidden. A folder in which something is hidden is another one. */
async function linkAll(home: string, target: string, folder: string, hidden: ReadonlySet<string>): Promise<void> {
  const parents = new Set([...hidden].flatMap((path) => foldersOf(path)));
  for (const entry of await entriesOf(join(home, folder))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (hidden.has(path)) continue;
    if (entry.isDirectory() && parents.has(path)) {
      // oxlint-disable-next-line no-await-in-loop -- from the top down
      await mkdir(join(target, path), { mode: 0o700 });
      // oxlint-disable-next-line no-await-in-loop -- from the top down
      await linkAll(home, target, path, hidden);
    } else {
      // oxlint-disable-next-line no-await-in-loop -- from the top down
      await symlink(join(home, path), join(target, path));
    }
  }
}

function foldersOf(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

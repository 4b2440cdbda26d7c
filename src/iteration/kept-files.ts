import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { foldersAbove } from '../clean-room/room-files.js';
import { suiteFileOf } from '../clean-room/suite-files.js';
import type { EarlierFile } from '../observation/files/earlier-files.js';
import { digestOf } from '../observation/files/kept-contents.js';
import { UserGit } from '../observation/files/user-git.js';
import { findWorkTree } from '../observation/files/work-tree.js';
import type { TreeWatch } from './tree-watch.js';

type Environment = Readonly<Record<string, string | undefined>>;

const MOST_FILES = 2000;
const MOST_ENTRIES = 20_000;
const MOST_BYTES = 1024 * 1024;
const GIT_TIMEOUT_MS = 30_000;
/** A link, as it is kept. */
const LINK = 'link:';
/** Only the digest of a package is kept, under its folder. */
const PACKAGES = 'node_modules/';
const PACKAGE =
  /^(?:@(?:vitest|jest)\/[^/]+|vitest|vite-node|jest|jest-[^/]+|expect|mocha|chai|ava|tap|jasmine(?:-core)?)$/;
/** What a file of tests loads by the name of a package. */
const LOADED = /(?:\bfrom|\bimport|\brequire\()\s*\(?['"]((?:@[\w.-]+\/)?[\w-][\w.-]*)/g;
const MOST_PACKAGE_BYTES = 8 * 1024 * 1024;

/**
 * Keeps files that are in no snapshot and that decide how tests run: ignored tests and settings, programs of packages, and the
 * settings and hooks of git. Returns their digests, with those of the packages that run the tests or that tests load.
 */
export async function keepFiles(
  workingDir: string,
  environment: Environment,
  history: TreeWatch['history'],
  tree?: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const kept = await history.kept();
  if ('error' in kept) return undefined;
  const files = await filesOf(workingDir, await pathsNow(workingDir, environment));
  const entries = [...files].map(async ([path, content]) => [path, await kept.keep(content)] as const);
  const packages = await digestsOf(workingDir, await packagesOf(workingDir, await loadedByTests(history, tree)));
  const all = [...(await Promise.all(entries)), ...packages];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** Those of them that have changed since, as they were at the start. Packages that a package manager has installed have not. */
export async function keptFiles(
  workingDir: string,
  environment: Environment,
  history: TreeWatch['history'],
  { kept: digests, tree }: { readonly kept: Readonly<Record<string, string>>; readonly tree: string },
  isInstalled: (folder: string) => boolean,
): Promise<readonly EarlierFile[]> {
  const paths = Object.keys(digests);
  const packages = paths.filter((path) => path.endsWith('/'));
  const names = paths.filter((path) => !path.endsWith('/'));
  const files = await filesOf(workingDir, [...new Set([...names, ...(await pathsNow(workingDir, environment))])]);
  const now = new Map([...files].map(([path, content]) => [path, digestOf(content)] as const));
  const kept = await history.kept();
  const changed = names.filter((path) => now.get(path) !== digests[path]);
  const earlier = changed.map(async (path): Promise<EarlierFile> => {
    const content = 'error' in kept ? undefined : await kept.read(digests[path] ?? '');
    if (content === undefined) return { path, isTooLarge: true };
    const isLink = content.subarray(0, LINK.length).toString() === LINK;
    const isExecutable = path.includes('/.bin/') || path.startsWith('.git/hooks/');
    return { path, before: { content: isLink ? content.subarray(LINK.length) : content, isExecutable, isLink } };
  });
  const created = [...files.keys()].filter((path) => !(path in digests)).map((path): EarlierFile => ({ path }));
  const inPlace = packages.filter((folder) => !isInstalled(folder.slice(0, -1)));
  const replaced = await replacedPackages(workingDir, inPlace, digests);
  const nearer = await nearerPackages(workingDir, await loadedByTests(history, tree));
  const added = nearer.filter((folder) => !(folder in digests)).map((folder) => folder.slice(0, -1));
  return [
    ...(await Promise.all(earlier)),
    ...created,
    ...replaced.map((path) => ({ path, isTooLarge: true as const })),
    ...added.filter((folder) => !isInstalled(folder)).map((path): EarlierFile => ({ path })),
  ];
}

async function replacedPackages(
  workingDir: string,
  folders: readonly string[],
  digests: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const now = new Map(await digestsOf(workingDir, folders));
  return folders.filter((folder) => now.get(folder) !== digests[folder]);
}

async function pathsNow(workingDir: string, environment: Environment): Promise<readonly string[]> {
  const [programs, hooks, ignored] = await Promise.all([
    namesIn(workingDir, 'node_modules/.bin/'),
    namesIn(workingDir, '.git/hooks/'),
    ignoredFiles(workingDir, environment),
  ]);
  const ofGit = hooks.filter((path) => !path.endsWith('.sample'));
  return [...new Set(['.git/config', ...ofGit, ...programs, ...ignored])].slice(0, MOST_FILES);
}

async function filesOf(workingDir: string, paths: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const contents = await Promise.all(
    paths.map(async (path) => [path, await contentOf(join(workingDir, path))] as const),
  );
  return new Map(contents.flatMap(([path, content]) => (content === undefined ? [] : [[path, content] as const])));
}

async function namesIn(workingDir: string, folder: string): Promise<readonly string[]> {
  const names = await readdir(join(workingDir, folder)).catch(() => []);
  return names.map((name) => `${folder}${name}`);
}

/** Tests, settings and programs of tests that git ignores. */
async function ignoredFiles(workingDir: string, environment: Environment): Promise<readonly string[]> {
  const limits = { endsAtMs: performance.now() + GIT_TIMEOUT_MS };
  const git = new UserGit(findWorkTree(workingDir), environment);
  const ignored = await git.list('ignored', ['.'], limits).catch(() => []);
  const found: string[] = [];
  const folders = ignored.filter((path) => path.endsWith('/') && !/(?:^|\/)(?:node_modules|\.ralph)\/$/.test(path));
  let seen = 0;
  for (let folder = folders.shift(); folder !== undefined && seen < MOST_ENTRIES; folder = folders.shift()) {
    // oxlint-disable-next-line no-await-in-loop -- one folder after the other keeps few of them in memory
    const entries = await readdir(join(workingDir, folder), { withFileTypes: true }).catch(() => []);
    seen += entries.length;
    folders.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}${name}/`));
    found.push(...entries.filter((entry) => !entry.isDirectory()).map(({ name }) => `${folder}${name}`));
  }
  const isTop = (path: string) => !path.includes('/');
  return [...ignored.filter((path) => !path.endsWith('/')), ...found].filter((path) => {
    const kind = suiteFileOf(path);
    return kind === 'test' || kind === 'settings' || (kind !== undefined && isTop(path));
  });
}

interface LoadedByTests {
  /** Names of packages. */
  readonly names: readonly string[];
  /** The folders of the tests, and those above them but for the top. */
  readonly folders: readonly string[];
}

async function loadedByTests(history: TreeWatch['history'], tree: string | undefined): Promise<LoadedByTests> {
  const isScript = (path: string) => /\.[cm]?[jt]sx?$/.test(path) && suiteFileOf(path) === 'test';
  const tests = tree === undefined ? [] : await history.earlierFiles({ before: tree, mostBytes: MOST_BYTES }, isScript);
  if ('error' in tests) return { names: [], folders: [] };
  const names = tests.flatMap(({ before }) => [...(before?.content.toString('utf8') ?? '').matchAll(LOADED)]);
  return {
    names: [...new Set(names.map(([, name = '']) => name))],
    folders: [...new Set(tests.flatMap(({ path }) => foldersAbove(path)))],
  };
}

/** The folders of packages that run tests or that tests load. */
async function packagesOf(workingDir: string, loaded: LoadedByTests): Promise<readonly string[]> {
  const top = await readdir(join(workingDir, PACKAGES)).catch(() => []);
  const scopes = top.filter((name) => name.startsWith('@'));
  const scoped = await Promise.all(
    scopes.map(async (scope) =>
      (await readdir(join(workingDir, PACKAGES, scope)).catch(() => [])).map((name) => `${scope}/${name}`),
    ),
  );
  const names = [...top, ...scoped.flat()].filter((name) => PACKAGE.test(name) || loaded.names.includes(name));
  const atTop = await keepable(
    workingDir,
    names.map((name) => `${PACKAGES}${name}/`),
  );
  return [...atTop, ...(await nearerPackages(workingDir, loaded))];
}

/** Packages in a folder below the top, where tests find them before those of the top. */
async function nearerPackages(workingDir: string, { names, folders }: LoadedByTests): Promise<readonly string[]> {
  const places = folders
    .map((folder) => `${folder}/${PACKAGES}`)
    .filter((place) => existsSync(join(workingDir, place)));
  return keepable(
    workingDir,
    places.flatMap((place) => names.map((name) => `${place}${name}/`)),
  );
}

/** Those that are there and not too large. A package of the workspace is code, and only linked. */
async function keepable(workingDir: string, folders: readonly string[]): Promise<readonly string[]> {
  const real = await realpath(workingDir);
  const kept = await Promise.all(
    folders.map(async (folder) => {
      const path = await realpath(join(workingDir, folder)).catch(() => '');
      const isCode = path.startsWith(`${real}/`) && !path.slice(real.length).includes('/node_modules/');
      const isRunner = PACKAGE.test(folder.slice(folder.lastIndexOf(PACKAGES) + PACKAGES.length, -1));
      const isSmall = isRunner || (await bytesIn(path)) <= MOST_PACKAGE_BYTES;
      return path === '' || isCode || !isSmall ? [] : [folder];
    }),
  );
  return kept.flat();
}

async function digestsOf(
  workingDir: string,
  folders: readonly string[],
): Promise<readonly (readonly [string, string])[]> {
  return Promise.all(folders.map(async (folder) => [folder, await digestOfFolder(join(workingDir, folder))] as const));
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = await Promise.all((await filesBelow(folder)).map(async (path) => (await lstat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.slice(folder.length).includes('/node_modules/'))
    .sort();
}

/** Of the content of every file, nested packages left out. */
async function digestOfFolder(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of await filesBelow(folder)) {
    // oxlint-disable-next-line no-await-in-loop -- one file after the other keeps one of them in memory
    hash.update(path.slice(folder.length)).update(await readFile(path).catch(() => ''));
  }
  return hash.digest('hex');
}

async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return Buffer.from(`${LINK}${await readlink(path)}`);
    return stats.isFile() && stats.size <= MOST_BYTES ? await readFile(path) : undefined;
  } catch {
    return undefined;
  }
}

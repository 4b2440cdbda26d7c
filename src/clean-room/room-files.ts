import type { BigIntStats } from 'node:fs';
import { chmod, lchown, lstat, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A file with its earlier contents. */
export interface PutBack {
  /** Relative to the work tree, with slashes. */
  readonly path: string;
  /** Undefined: there was no such file. Of a link, where it leads to. */
  readonly content: Buffer | undefined;
  /** As git records it: 0o100755, 0o120000 (a link), or only the permissions. Default: 0o644. */
  readonly mode?: number | undefined;
}

const LINK = 0o120_000;
const KIND = 0o170_000;

/** The files to write and the paths to remove; a removed path never takes a written file with it. Throws on a path that leads out. */
export function sorted(files: readonly PutBack[]): {
  readonly written: readonly PutBack[];
  readonly removed: string[];
} {
  for (const { path } of files) {
    const isInside = path.split('/').every((name) => !['', '.', '..'].includes(name)) && !path.includes('\0');
    if (!isInside) throw new Error(`${path} is not a path in the work tree`);
  }
  const written = files.filter(({ content }) => content !== undefined);
  const kept = new Set(written.map(({ path }) => path));
  const folders = new Set(written.flatMap(({ path }) => foldersAbove(path)));
  const removed = files
    .filter(({ path, content }) => content === undefined && !folders.has(path))
    .map(({ path }) => path)
    .filter((path) => !foldersAbove(path).some((folder) => kept.has(folder)));
  return { written, removed };
}

/** Of those paths, the ones that are there and that no link leads out of the folder on the way to. */
export async function present(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const above = await Promise.all(foldersAbove(path).map((folder) => statAt(join(root, folder))));
      return above.every((stats) => stats?.isDirectory() === true) && (await statAt(join(root, path))) !== undefined;
    }),
  );
  return paths.filter((_, at) => found[at]);
}

/** Writes them below `root`; folders that are missing there, and owners, are as in the tree. */
export async function write(root: string, tree: string, files: readonly PutBack[]): Promise<void> {
  const made: string[] = [];
  for (const { path, content = Buffer.alloc(0), mode = 0o644 } of files) {
    const target = join(root, path);
    // oxlint-disable-next-line no-await-in-loop -- files share folders
    for (const folder of foldersAbove(path)) if (await makeFolder(join(root, folder))) made.push(folder);
    await rm(target, { recursive: true, force: true });
    if ((mode & KIND) === LINK) await symlink(content, target);
    else {
      await writeFile(target, content);
      await chmod(target, mode & 0o7777);
    }
    await giveToOwner(target, tree, path);
  }
  // At last, and from the bottom up: they may be read-only.
  for (const folder of made.toReversed()) await likeIn(tree, folder, join(root, folder));
}

/** Whether there was none. */
async function makeFolder(folder: string): Promise<boolean> {
  const found = await statAt(folder);
  if (found?.isDirectory() === true) return false;
  if (found !== undefined) await rm(folder);
  await mkdir(folder);
  return true;
}

/** A folder of the layer is seen in place of the one in the tree. */
export async function likeIn(tree: string, folder: string, target: string): Promise<void> {
  const model = await statAt(join(tree, folder));
  await chmod(target, model?.isDirectory() === true ? Number(model.mode) & 0o7777 : 0o755);
  await giveToOwner(target, tree, folder);
}

/** Only root can, and only root has files of others. */
async function giveToOwner(target: string, tree: string, path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  for (let at = path; ; at = dirname(at)) {
    // oxlint-disable-next-line no-await-in-loop -- up to the first that is there
    const model = await statAt(join(tree, at));
    if (model !== undefined) return lchown(target, Number(model.uid), Number(model.gid));
  }
}

/** From the top down. */
export function foldersAbove(path: string): readonly string[] {
  return path
    .split('/')
    .slice(0, -1)
    .map((_, at, names) => names.slice(0, at + 1).join('/'));
}

export async function statAt(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

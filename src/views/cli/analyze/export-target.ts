import { randomBytes } from 'node:crypto';
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf } from '../../../journal/disk.js';
import { ConfigError, FileSystemError } from '../../../model/errors.js';
import { shownPath } from '../../../app/shown-path.js';
import type { Terminal } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';

const FILE_MODE = 0o600;
/** A reader who is slower than the disk is waited for. */
const MOST_BACKLOG_BYTES = 1024 * 1024;

/** Where an export goes. */
export interface ExportTarget {
  readonly write: (text: string) => Promise<void>;
  /** No one reads it any more. */
  readonly isOver: () => boolean;
  /** Gives a file its name: until then there is none. */
  readonly finish: () => Promise<void>;
  readonly abandon: () => Promise<void>;
}

/** Standard output, or a file that is there as a whole or not at all. Throws ConfigError when it may not be written. */
export async function openExportTarget(
  file: string | undefined,
  isForced: boolean,
  context: CommandContext,
): Promise<ExportTarget> {
  if (file !== undefined && file !== '-') return openFile(file, isForced, context.cwd);
  if (isForced) throw refused('--force', 'it overwrites a file: name the file with -o');
  return outputOf(context.terminal);
}

function outputOf({ raw, outlet }: Terminal): ExportTarget {
  return {
    async write(text) {
      raw(text);
      if ((outlet?.backlogBytes() ?? 0) > MOST_BACKLOG_BYTES) await outlet?.drained();
    },
    isOver: () => outlet?.isClosed() === true,
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  };
}

async function openFile(file: string, isForced: boolean, cwd: string): Promise<ExportTarget> {
  const path = checkedPlace(file, isForced, cwd);
  const draft = join(dirname(path), `.${basename(path).slice(0, 200)}.${randomBytes(6).toString('hex')}`);
  const handle = await onFile(path, () => open(draft, 'wx', FILE_MODE));
  const abandon = async () => {
    await quietly(() => handle.close());
    await quietly(() => unlink(draft));
  };
  return {
    write: (text) => onFile(path, () => writeWhole(handle, text)),
    isOver: () => false,
    finish: async () => {
      await onFile(path, async () => {
        await handle.sync();
        await handle.close();
        if (isForced) await rename(draft, path);
        else await place(draft, path, cwd);
      });
      await quietly(() => unlink(draft));
    },
    abandon,
  };
}

async function writeWhole(handle: FileHandle, text: string): Promise<void> {
  await handle.appendFile(text);
}

/** A second name fails where one is taken already; where the disk has none, the look before has to do. */
async function place(draft: string, path: string, cwd: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' || lookAt(path) !== undefined) throw taken(path, cwd);
    await rename(draft, path);
  }
}

/** The path itself, or what a link there leads to. */
function checkedPlace(file: string, isForced: boolean, cwd: string): string {
  if (file === '') throw refused('-o', 'the name of the file is empty');
  const path = resolve(cwd, file);
  const folder = statOf(dirname(path));
  if (folder === undefined) throw refused('-o', `the folder ${shownPath(dirname(path), cwd)} does not exist`);
  if (!folder.isDirectory()) throw refused('-o', `${shownPath(dirname(path), cwd)} is not a folder`);
  if (lookAt(path) === undefined) {
    if (file.endsWith('/'))
      throw refused('-o', `${shownPath(path, cwd)} is the name of a folder: give the name of a file`);
    return path;
  }
  const found = statOf(path);
  if (found === undefined) throw refused('-o', `${shownPath(path, cwd)} is a broken link`);
  if (found.isDirectory()) throw refused('-o', `${shownPath(path, cwd)} is a folder: give the name of a file in it`);
  if (!found.isFile())
    throw refused('-o', `${shownPath(path, cwd)} is not a file; without -o it goes to standard output`);
  if (!isForced) throw taken(path, cwd);
  return realpathSync(path);
}

function taken(path: string, cwd: string): ConfigError {
  return refused('-o', `${shownPath(path, cwd)} already exists; --force replaces it`);
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === 'ELOOP' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw new FileSystemError('inspect', path, error);
  }
}

async function onFile<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new FileSystemError('write', path, error);
  }
}

async function quietly(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch {
    // It is closed or gone already.
  }
}

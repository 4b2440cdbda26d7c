import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, lstatSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface NewFile {
  readonly path: string;
  readonly text: string;
  /** Take the place of what is there. Otherwise nothing may be there. */
  readonly replaces?: boolean | undefined;
  /** Those of the file that it replaces. */
  readonly mode?: number | undefined;
}

/**
 * Writes all files or, when one cannot be written, none: each is complete before it gets its name, and what is there
 * keeps it unless it is to be replaced. Returns why it failed.
 */
export function writeFiles(files: readonly NewFile[]): { readonly error: string } | undefined {
  const drafts: { readonly file: NewFile; readonly draft: string }[] = [];
  const placed: string[] = [];
  try {
    for (const file of files) {
      const draft = join(dirname(file.path), `.${basename(file.path)}.${randomBytes(6).toString('hex')}`);
      writeFileSync(draft, file.text, { flag: 'wx' });
      drafts.push({ file, draft });
      if (file.mode !== undefined) chmodSync(draft, file.mode);
    }
    for (const { file, draft } of drafts) {
      place(file, draft);
      if (file.replaces !== true) placed.push(file.path);
    }
    return undefined;
  } catch (error) {
    for (const path of placed) tryToRemove(path);
    return { error: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const { draft } of drafts) tryToRemove(draft);
  }
}

/** A second name fails where one is taken already; not every disk has them. */
function place({ path, text, replaces }: NewFile, draft: string): void {
  if (replaces === true) return renameSync(draft, path);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || isThere(path)) throw error;
    writeFileSync(path, text, { flag: 'wx' });
  }
}

/** Also when it is a broken link. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function tryToRemove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It has its name already, or was never made.
  }
}

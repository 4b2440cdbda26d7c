import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';

export interface Commit {
  readonly tree: string;
  readonly parent?: string | undefined;
  readonly message: string;
  /** Author and committer, as `name <address>`. */
  readonly by: string;
}

/** Puts a commit into a repository as git would, but without a process, and returns its name. */
export function writeCommit(repository: string, { tree, parent, message, by }: Commit): string {
  const moment = `${by} ${Math.floor(Date.now() / 1000)} +0000`;
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
export function isLooseObject(repository: string, name: string): boolean {
  return (statSync(looseFile(repository, name), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function looseFile(repository: string, name: string): string {
  return join(repository, 'objects', name.slice(0, 2), name.slice(2));
}

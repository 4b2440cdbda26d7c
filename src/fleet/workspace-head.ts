import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { headOf } from '../observation/commit-work.js';

export interface HeadRequest {
  /** The top of a working tree that has its repository in it. */
  readonly workingDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The commit that is checked out. Read as it stands in a file where it does: to ask git takes longer than many an agent. */
export async function workspaceHead(request: HeadRequest): Promise<string> {
  const folder = join(request.workingDir, '.git');
  const head = await lineOf(join(folder, 'HEAD'));
  const branch = /^ref: (refs\/heads\/[\w./-]+)$/.exec(head)?.[1];
  const commit = branch === undefined || branch.includes('..') ? head : await lineOf(join(folder, branch));
  return HASH.test(commit) ? commit : headOf({ ...request, isWhole: true });
}

async function lineOf(path: string): Promise<string> {
  return readFile(path, 'utf8').then(
    (text) => text.trimEnd(),
    () => '',
  );
}

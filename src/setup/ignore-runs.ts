import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readConfigFile } from '../config/config-file.js';
import type { Environment } from '../process/run-tool.js';
import { runGit, withoutSteering } from '../workspace/git.js';
import type { NewFile } from './write-files.js';

const ENTRY = '.ralph/';

export type IgnorePlan =
  | { readonly kind: 'write'; readonly file: NewFile }
  /** Git leaves it out already, or there is no git here. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * What has to be written so that git leaves the records of runs alone. Pawl keeps them out by a rule inside the folder,
 * too; the entry tells people and other tools.
 */
export async function planIgnore(folder: string, environment: Environment): Promise<IgnorePlan> {
  const place = { folder, environment: withoutSteering(environment) };
  const inside = await runGit(place, ['rev-parse', '--is-inside-work-tree']);
  if (inside.error !== undefined || inside.output !== 'true') return { kind: 'nothing' };
  const ignored = await runGit(place, ['check-ignore', '--quiet', ENTRY]);
  if (ignored.error === undefined) return { kind: 'nothing' };
  const path = join(folder, '.gitignore');
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { kind: 'write', file: { path, text: `${ENTRY}\n` } };
  const file = found.isFile() ? readConfigFile(path) : undefined;
  if (file?.kind !== 'read') return { kind: 'refused', why: '.gitignore is not a plain text file of up to 1 MB' };
  return { kind: 'write', file: { path, text: withEntry(file.text), replaces: true, mode: found.mode & 0o777 } };
}

function withEntry(text: string): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const separator = text === '' || text.endsWith('\n') ? '' : newline;
  return `${text}${separator}${ENTRY}${newline}`;
}

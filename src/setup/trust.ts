import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LoadedConfig } from '../config/load-config.js';
import { type ProjectCommand, projectCommands } from '../config/project-commands.js';

/** More is no list of commands that people have confirmed. */
const LARGEST_FILE_BYTES = 1024 * 1024;
const MOST_KEPT = 1000;

type Config = Pick<LoadedConfig, 'spec' | 'origins' | 'folders'>;

/**
 * What the project's config would execute and no one has confirmed in this working directory. `home` is the user's state
 * folder, such as `~/.local/state`.
 */
export function unconfirmedCommands(config: Config, home: string): readonly ProjectCommand[] {
  return unconfirmedOf(projectCommands(config), config.spec.workingDir, home);
}

/** Which of these commands no one has confirmed in this working directory. */
export function unconfirmedOf(
  commands: readonly ProjectCommand[],
  workingDir: string,
  home: string,
): readonly ProjectCommand[] {
  const confirmed = new Set(confirmedIn(placeOf(workingDir, home).file));
  return commands.filter((command) => !confirmed.has(markOf(command)));
}

/**
 * Confirms everything that the project's config would execute: it is not asked about again until it changes. Throws when
 * that cannot be kept.
 */
export function trustConfig(config: Config, home: string): void {
  trustCommands(projectCommands(config), config.spec.workingDir, home);
}

/** Confirms these commands for a working directory. Throws when that cannot be kept. */
export function trustCommands(commands: readonly ProjectCommand[], workingDir: string, home: string): void {
  const { folder, file, path } = placeOf(workingDir, home);
  const marks = commands.map(markOf);
  const kept = [...new Set([...confirmedIn(file), ...marks])].slice(-MOST_KEPT);
  makeFolders(folder);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ version: 1, path, commands: kept })}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

function placeOf(workingDir: string, home: string) {
  const path = realpathSync(workingDir);
  const folder = join(home, 'pawl', 'trusted');
  return { path, folder, file: join(folder, hashOf(path).slice(0, 16)) };
}

/** The same words at another place are another command. */
function markOf({ path, whole }: ProjectCommand): string {
  return hashOf(JSON.stringify([path.replace(/\[\d+\]/g, ''), whole]));
}

/** Step by step: where nothing can be made, such as in /proc, Node's recursive way never ends. */
function makeFolders(folder: string): void {
  const missing: string[] = [];
  for (let path = folder; !existsSync(path) && path !== dirname(path); path = dirname(path)) missing.push(path);
  for (const path of missing.reverse()) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** What cannot be read has not been confirmed. */
function confirmedIn(file: string): readonly string[] {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > LARGEST_FILE_BYTES) return [];
    const { commands } = JSON.parse(readFileSync(file, 'utf8')) as { readonly commands?: unknown };
    return Array.isArray(commands) ? commands.filter((mark): mark is string => typeof mark === 'string') : [];
  } catch {
    return [];
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

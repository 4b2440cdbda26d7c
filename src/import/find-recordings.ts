import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CLAUDE_HOME } from '../agents/claude/transcript.js';
import { CODEX_HOME } from '../agents/codex/rollout.js';
import { type AgentHome, homeFolder } from '../agents/known-agent.js';
import { ConfigError, messageOf } from '../model/errors.js';
import { mayBeRecording } from './read-recording.js';

/** A file to import. */
export interface FoundFile {
  /** Its real path. */
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** It was named, and not only found in a folder: it must be a recording. */
  readonly isNamed: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const OWN_FOLDERS: readonly (readonly [AgentHome, string])[] = [
  [CLAUDE_HOME, 'projects'],
  [CODEX_HOME, 'sessions'],
];

/** Where Claude Code and Codex keep their sessions, as far as these folders exist. */
export function ownFolders(environment: Environment): readonly string[] {
  return OWN_FOLDERS.flatMap(([home, name]) => {
    const folder = homeFolder(home, environment);
    const path = folder === undefined || folder === '' ? undefined : join(folder, name);
    return path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? [path] : [];
  });
}

/** The files that sources stand for: themselves, or all files of a folder that can be recordings. Throws ConfigError. */
export function findRecordings(sources: readonly string[], cwd: string): readonly FoundFile[] {
  const found = new Map<string, FoundFile>();
  for (const source of sources) {
    for (const file of filesOf(source, resolve(cwd, source))) {
      if (found.get(file.path)?.isNamed !== true) found.set(file.path, file);
    }
  }
  return [...found.values()];
}

function filesOf(source: string, path: string): readonly FoundFile[] {
  const refused = (message: string) => new ConfigError([{ path: '', place: source, message }]);
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined) throw refused('no such file or folder');
  if (entry.isFile()) return [fileAt(path, true)].filter((file) => file !== undefined);
  if (!entry.isDirectory()) throw refused('it is neither a file nor a folder');
  try {
    // Links are not followed: they can lead anywhere, and in circles.
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && mayBeRecording(one.name))
      .flatMap((one) => fileAt(join(one.parentPath, one.name), false) ?? []);
  } catch (error) {
    throw refused(messageOf(error));
  }
}

/** Undefined when it was deleted meanwhile. */
function fileAt(path: string, isNamed: boolean): FoundFile | undefined {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry?.isFile() !== true) return undefined;
  return { path: realpathSync(path), bytes: entry.size, modifiedMs: Math.floor(entry.mtimeMs), isNamed };
}

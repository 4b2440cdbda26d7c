import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DoctorRequest, Finding, Level } from './finding.js';

const FEW_BYTES = 1e9;
const TOO_FEW_BYTES = 1e8;

/** Room and rights where runs write. Nothing is written to find out. */
export async function examineDisk(request: DoctorRequest): Promise<readonly Finding[]> {
  const places: readonly (readonly [string, string])[] = [
    ['project', request.folder],
    ['state folder', request.stateFolder],
    ['runtime folder', request.runtimeFolder],
  ];
  return Promise.all(places.map(async ([name, path]) => examineFolder(name, path, request.timeoutMs)));
}

async function examineFolder(name: string, path: string, timeoutMs: number): Promise<Finding> {
  const line = (level: Level, found: string, fix?: string): Finding => ({ group: 'disk', name, level, found, fix });
  const stop = new AbortController();
  const late = pause(timeoutMs, 'late' as const, { signal: stop.signal }).catch(() => 'late' as const);
  const state = await Promise.race([lookAt(path), late]);
  stop.abort();
  if (state === 'late') return line('problem', `${path} does not answer`, 'is it on a network drive that is offline?');
  if (state.problem !== undefined) return line('problem', `${path}: ${state.problem}`, state.fix);
  return line(...judgeSpace(path, state.freeBytes));
}

/** Whether there is room for the record of a run, and for what its agent makes. */
export function judgeSpace(
  path: string,
  freeBytes: number | undefined,
): readonly [level: Level, found: string, fix?: string] {
  if (freeBytes === undefined) return ['note', `${path}, free space unknown`];
  const found = `${path}, ${inWords(freeBytes)} free`;
  if (freeBytes < TOO_FEW_BYTES) return ['problem', found, 'free some space: a run has to keep its record'];
  if (freeBytes < FEW_BYTES) return ['warning', found, 'free some space; pawl prune removes old runs'];
  return ['ok', found];
}

interface FolderState {
  readonly problem?: string;
  readonly fix?: string;
  readonly freeBytes?: number;
}

async function lookAt(path: string): Promise<FolderState> {
  const folder = await nearestFolder(path);
  if (folder === undefined) return { problem: 'is not a folder', fix: 'move it away' };
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch {
    const what = folder === path ? 'cannot be written' : `cannot be created in ${folder}`;
    return { problem: what, fix: `ask for permission to write there: ls -ld ${folder}` };
  }
  try {
    const { bavail, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize };
  } catch {
    return {};
  }
}

/** The folder itself, or the one that it would be made in; undefined when something else is in its place. */
async function nearestFolder(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? path : undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing && dirname(path) !== path ? nearestFolder(dirname(path)) : undefined;
  }
}

function inWords(bytes: number): string {
  return bytes >= 1e9 ? `${Math.floor(bytes / 1e9)} GB` : `${Math.floor(bytes / 1e6)} MB`;
}

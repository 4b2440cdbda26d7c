import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  statSync,
  unlinkSync,
  type Stats,
} from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { PawlError } from '../model/errors.js';
import { connect } from 'node:net';

/** The system holds this much of a socket's path, and Node cuts off the rest without a word. */
const MOST_PATH_BYTES = process.platform === 'linux' ? 107 : 103;
const PRIVATE_MODE = 0o700;

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a run's control socket is to be. */
export interface ControlPlace {
  readonly path: string;
  /** Takes away what was made for it alone. */
  readonly release: () => void;
}

/** Finds a place that no one else can reach. Throws PawlError when there is none. */
export function findControlPlace(runId: string, environment: Environment): ControlPlace {
  const name = socketName(runId, process.pid);
  const tooLong: string[] = [];
  for (const folderIn of [runtimeFolder, sharedFolder, ownFolder]) {
    const folder = folderIn(environment);
    if (folder === undefined) continue;
    const release = () => {
      if (folderIn === ownFolder) tryTo(() => rmdirSync(folder));
    };
    const path = join(folder, name);
    if (isShortEnough(path)) {
      removeStale(folder, runId);
      void removeDeadSockets(folder);
      return { path, release };
    }
    release();
    tooLong.push(path);
  }
  const why = tooLong.map((path) => `${path} has more than the ${MOST_PATH_BYTES} bytes that a socket's path may have`);
  throw new PawlError('FileSystemError', why.at(-1) ?? 'there is no folder for it');
}

/** A folder for what no one else may see and that ends with this session; undefined when there is none. */
export function findPrivateFolder(environment: Environment): string | undefined {
  return runtimeFolder(environment) ?? sharedFolder(environment);
}

/** Whether a path can be the control socket of a run: it comes from a file that others may have written. */
export function isSocketOf(runId: string, path: string): boolean {
  const name = basename(path);
  return isAbsolute(path) && isShortEnough(path) && name.startsWith(`${prefixOf(runId)}-`) && name.endsWith('.sock');
}

/** False when someone else has made what lies at a path: a record that came with a repository may name it. */
export function isNotOthers(path: string): boolean {
  const found = tryTo(() => lstatSync(path));
  return found === undefined || isOurs(found);
}

function socketName(runId: string, pid: number): string {
  return `${prefixOf(runId)}-${pid}.sock`;
}

function prefixOf(runId: string): string {
  return createHash('sha256').update(runId).digest('hex').slice(0, 16);
}

function isShortEnough(path: string): boolean {
  return Buffer.byteLength(path) <= MOST_PATH_BYTES;
}

/** Sockets of a run where they usually are, for who does not know which of them. */
export function findSockets(runId: string, environment: Environment): readonly string[] {
  return [runtimePath(environment), sharedPath(environment)].flatMap((folder) => {
    if (folder === undefined || !isPrivate(folder)) return [];
    const names = tryTo(() => readdirSync(folder)) ?? [];
    return names.map((name) => join(folder, name)).filter((path) => isSocketOf(runId, path));
  });
}

function runtimeFolder(environment: Environment): string | undefined {
  const path = runtimePath(environment);
  return path === undefined ? undefined : privateFolder(path);
}

function sharedFolder(environment: Environment): string | undefined {
  return privateFolder(sharedPath(environment));
}

function ownFolder(environment: Environment): string | undefined {
  return tryTo(() => mkdtempSync(join(temporaryFolder(environment), 'pawl-')));
}

function runtimePath({ XDG_RUNTIME_DIR: home = '' }: Environment): string | undefined {
  const found = isAbsolute(home) ? tryTo(() => statSync(home)) : undefined;
  return found?.isDirectory() === true && isOurs(found) ? join(home, 'pawl') : undefined;
}

/** The folder for sockets where the user has no folder for a session. */
export function sharedPath(environment: Environment): string {
  return join(temporaryFolder(environment), `pawl-${process.getuid?.() ?? 'user'}`);
}

/** As the system has it, for the process that has this environment. */
export function temporaryFolder({ TMPDIR, TMP, TEMP }: Environment): string {
  return resolve('/', TMPDIR || TMP || TEMP || '/tmp');
}

/** A folder of ours that no one else can enter, made if it is missing; undefined when someone has planted something. */
function privateFolder(path: string): string | undefined {
  const isNew = tryTo(() => mkdirSync(path, { mode: PRIVATE_MODE }) ?? true);
  if (isNew === true) tryTo(() => chmodSync(path, PRIVATE_MODE));
  return isPrivate(path) ? path : undefined;
}

function isPrivate(path: string): boolean {
  const found = tryTo(() => lstatSync(path));
  return found?.isDirectory() === true && isOurs(found) && (found.mode & 0o777) === PRIVATE_MODE;
}

function isOurs({ uid }: { readonly uid: number }): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/** Anyone who opens a run for writing is the only one: a socket that it has already is left over from a crash. */
function removeStale(folder: string, runId: string): void {
  for (const name of tryTo(() => readdirSync(folder)) ?? []) {
    if (isSocketOf(runId, join(folder, name))) tryTo(() => unlinkSync(join(folder, name)));
  }
}

function tryTo<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}

/** A start does not tidy up for ever: the next one continues it. */
const MOST_LOOKED_AT = 256;
const MOST_TRIED = 32;
/** Another process may be between making its socket and listening at it. */
const YOUNG_MS = 60_000;
const ANSWER_MS = 1000;

/**
 * Removes sockets of runs that were killed from a folder that is ours alone: no one listens there any more. Does not hold
 * up the process, never rejects.
 */
export async function removeDeadSockets(folder: string): Promise<void> {
  try {
    const old = readdirSync(folder)
      .filter((name) => /^[0-9a-f]{16}-\d+\.sock$/.test(name))
      .slice(0, MOST_LOOKED_AT)
      .map((name) => join(folder, name))
      .filter(isOldSocket);
    await Promise.all(old.slice(0, MOST_TRIED).map(removeIfDead));
  } catch {
    // The folder is gone, and with it what was to be removed.
  }
}

async function removeIfDead(path: string): Promise<void> {
  const isDead = await isRefused(path);
  // Looked at again: another run may have made it again.
  if (!isDead || !isOldSocket(path)) return;
  try {
    unlinkSync(path);
  } catch {
    // Someone else was first.
  }
}

function isOldSocket(path: string): boolean {
  const found: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
  const isOurs = process.getuid === undefined || found?.uid === process.getuid();
  return found?.isSocket() === true && isOurs && Date.now() - found.mtimeMs > YOUNG_MS;
}

function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path).unref();
    const settle = (isDead: boolean) => {
      socket.destroy();
      resolve(isDead);
    };
    socket.setTimeout(ANSWER_MS, () => settle(false));
    socket.once('connect', () => settle(false));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code === 'ECONNREFUSED'));
  });
}

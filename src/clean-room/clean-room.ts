import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { messageOf } from '../model/errors.js';
import { chooseEntrance, type RoomPlace } from './choose-entrance.js';
import { copyTree } from './copy-tree.js';
import { present, type PutBack, sorted, write } from './room-files.js';
import { type CleanRoom, copiedRoom, overlayRoom } from './made-room.js';
import { makeRoomFolder, removeRoomFolder } from './room-folder.js';
import { SYSTEM_PATH, TRIAL_FOLDER } from './room-script.js';

export interface CleanRoomOptions {
  readonly workTree: string;
  readonly putBack: readonly PutBack[];
  /** Outside the work tree. It is made if it is missing. */
  readonly scratchDir: string;
  /** Makes a copy even where an overlay can be mounted, or never makes one. */
  readonly kind?: 'copy' | 'overlay' | undefined;
  /** How long a copy may take. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How much a command may write where that is held in memory. Default: half of what is available. */
  readonly memoryBytes?: number | undefined;
  /** Where the programs of the system are. */
  readonly toolPath?: string | undefined;
}

/** No room can be made, and why. */
export interface NoCleanRoom {
  readonly unusable: string;
}

const COPY_MS = 10 * 60_000;

/** Never rejects. Nothing is mounted and nothing runs before the command does. */
export async function openCleanRoom(options: CleanRoomOptions): Promise<CleanRoom | NoCleanRoom> {
  let room: string | undefined;
  try {
    const tree = await realpath(options.workTree);
    await mkdir(options.scratchDir, { recursive: true, mode: 0o700 });
    const scratchDir = await realpath(options.scratchDir);
    if (`${scratchDir}${sep}`.startsWith(`${tree}${sep}`)) return { unusable: `${scratchDir} is inside the work tree` };
    room = await makeRoomFolder(scratchDir);
    const { toolPath = SYSTEM_PATH, memoryBytes = Math.floor(process.availableMemory() / 2), signal } = options;
    return await furnish({ room, tree, toolPath, memoryBytes, signal }, options);
  } catch (error) {
    if (room !== undefined) await removeRoomFolder(room);
    return { unusable: messageOf(error) };
  }
}

/** What a clean room of this user would be, tried out on an empty work tree. */
export async function probeCleanRoom(
  options: Pick<CleanRoomOptions, 'scratchDir' | 'signal' | 'toolPath'>,
): Promise<Pick<CleanRoom, 'kind' | 'isSamePath' | 'as' | 'refusals'> | NoCleanRoom> {
  let folder: string | undefined;
  try {
    folder = await makeRoomFolder(options.scratchDir);
    const scratchDir = join(folder, 'scratch');
    const workTree = join(folder, 'tree');
    await mkdir(workTree);
    const opened = await openCleanRoom({ ...options, workTree, scratchDir, putBack: [] });
    if ('unusable' in opened) return opened;
    await opened.close();
    const { kind, isSamePath, as, refusals } = opened;
    return { kind, isSamePath, as, refusals };
  } catch (error) {
    return { unusable: messageOf(error) };
  } finally {
    if (folder !== undefined) await removeRoomFolder(folder);
  }
}

async function furnish(place: RoomPlace, options: CleanRoomOptions): Promise<CleanRoom> {
  const { room, tree, toolPath, signal } = place;
  const { written, removed } = sorted(options.putBack);
  for (const name of ['then', 'low', 'memory', 'copy', `then/${TRIAL_FOLDER}`]) await mkdir(join(room, name));
  await write(join(room, 'then'), tree, written);
  await writeFile(join(room, 'kept'), listed(written.map(({ path }) => path)));
  await writeFile(join(room, 'removed'), listed(await present(tree, removed)));
  const { entrance, refusals } = await chooseEntrance(
    place,
    options.kind === 'copy' ? 'a copy was requested' : undefined,
  );
  signal?.throwIfAborted();
  if (entrance?.how === 'overlay') return overlayRoom(entrance, options.putBack, refusals);
  if (options.kind === 'overlay') throw new Error(refusals.join('; ') || 'nothing can be mounted');
  const copy = join(room, 'copy');
  await copyTree(tree, copy, { toolPath, signal, timeoutMs: options.timeoutMs ?? COPY_MS });
  for (const path of await present(copy, removed)) await rm(join(copy, path), { recursive: true });
  await write(copy, tree, written);
  return copiedRoom(place, options.putBack, { entrance, refusals });
}

function listed(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join('');
}

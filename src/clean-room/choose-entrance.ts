import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, runTool } from '../process/run-tool.js';
import { likeIn } from './room-files.js';
import { enter, type Entrance, namespacesToTry } from './room-script.js';

export interface RoomPlace extends Pick<Entrance, 'room' | 'tree' | 'toolPath' | 'memoryBytes'> {
  readonly signal?: AbortSignal | undefined;
}

const TRIAL_MS = 10_000;
const SEARCH_MS = 30_000;
const OUTPUT_LIMIT_BYTES = 64 * 1024;

export interface ChosenEntrance {
  /** Undefined when nothing can be mounted. */
  readonly entrance?: Entrance | undefined;
  /** Why nothing better can be used. */
  readonly refusals: readonly string[];
}

/** Enters the room in one way after the other, the best first, until one works. */
export async function chooseEntrance(place: RoomPlace, obstacle: string | undefined): Promise<ChosenEntrance> {
  const { signal: _, ...shared } = place;
  const namespaces = namespacesToTry(place.toolPath);
  if (namespaces.length === 0) return { refusals: ['this system has no unshare, setpriv and mount of util-linux'] };
  const inTheWay = obstacle ?? (await nestedMount(place.tree));
  const refusals = new Set<string>();
  let foreign: Promise<string | undefined> | undefined;
  for (const how of ['overlay', 'bind'] as const) {
    for (const [at, namespace] of namespaces.entries()) {
      const entrance: Entrance = { ...shared, namespace, how, layer: `${how}-${at}` };
      if (how === 'overlay' && namespace.as === 'user-namespace') foreign ??= foreignFile(place);
      // oxlint-disable-next-line no-await-in-loop -- the first that works is used
      const refusal =
        (how === 'overlay' ? (inTheWay ?? (await foreign)) : undefined) ?? (await tryOut(entrance, place));
      if (refusal === undefined)
        return { entrance: { ...entrance, layer: await makeLayer(place, 'run') }, refusals: [...refusals] };
      refusals.add(refusal);
    }
  }
  return { refusals: [...refusals] };
}

/** Why the room cannot be entered this way. */
async function tryOut(entrance: Entrance, place: RoomPlace): Promise<string | undefined> {
  await makeLayer(place, entrance.layer);
  const start = enter(entrance, { command: '/bin/sh', args: ['-c', ':'], cwd: '/', env: {} });
  const limits = { timeoutMs: TRIAL_MS, outputLimitBytes: OUTPUT_LIMIT_BYTES, signal: place.signal };
  const { exitCode, stderr, notStarted, timedOut } = await runTool({ ...start, ...limits });
  if (exitCode === 0) return undefined;
  if (timedOut) return 'a mount took too long';
  return notStarted ?? (stderr.trim().split('\n').at(-1) || 'nothing can be mounted');
}

/** An empty upper layer. Its root is seen as the root of the work tree. */
async function makeLayer({ room, tree }: RoomPlace, name: string): Promise<string> {
  await mkdir(join(room, name, 'work'), { recursive: true });
  await mkdir(join(room, name, 'written'));
  await likeIn(tree, '', join(room, name, 'written'));
  return name;
}

const ESCAPED = /\\([0-7]{3})/g;
const characterOf = (_: string, octal: string) => String.fromCharCode(Number.parseInt(octal, 8));

/** An overlay shows the empty folder below a mount. */
async function nestedMount(tree: string): Promise<string | undefined> {
  const text = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const points = text.split('\n').map((line) => (line.split(' ')[4] ?? '').replaceAll(ESCAPED, characterOf));
  const nested = points.find((point) => point.startsWith(`${tree}/`));
  return nested === undefined ? undefined : `${nested} is a mount in the work tree`;
}

/** A file of another owner or group that the user can write, but not copy to an upper layer in a user namespace. */
async function foreignFile({ tree, toolPath, signal }: RoomPlace): Promise<string | undefined> {
  if (findProgram('find', '/', toolPath) === undefined) return 'there is no find to check who owns the files';
  const isOwn = ['(', '!', '-uid', String(process.geteuid?.()), '-o', '!', '-gid', String(process.getegid?.()), ')'];
  const args = [tree, ...isOwn, '!', '-type', 'l', '-writable', '-print', '-quit'];
  const limits = { timeoutMs: SEARCH_MS, outputLimitBytes: OUTPUT_LIMIT_BYTES, signal };
  const { stdout, timedOut } = await runTool({ command: 'find', args, cwd: '/', env: { PATH: toolPath }, ...limits });
  if (timedOut) return 'it took too long to check who owns the files';
  // Folders that cannot be read make it fail, and nothing in them can be written.
  return stdout.length === 0 ? undefined : `${stdout.toString('utf8').trim()} belongs to another user or group`;
}

import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { ChosenEntrance, RoomPlace } from './choose-entrance.js';
import { foldersAbove, type PutBack } from './room-files.js';
import {
  changedBelow,
  fullDisk,
  type RoomFindings,
  type RoomOutcome,
  stampsBelow,
  statusIn,
  touchedInLayer,
} from './room-findings.js';
import { removeRoomFolder } from './room-folder.js';
import { enter, type Entrance, type RoomCommand } from './room-script.js';

/**
 * The work tree with some files put back, for one run of a command. Nothing that the command writes reaches the work tree.
 */
export interface CleanRoom {
  readonly kind: 'overlay' | 'copy';
  /** The command sees the work tree at its own path. */
  readonly isSamePath: boolean;
  /** Who mounts; undefined when nothing is mounted. */
  readonly as?: 'root' | 'user-namespace' | undefined;
  /** Why nothing better can be used. */
  readonly refusals: readonly string[];
  /** After the run, and until the room is closed: the files that it wrote (of a copy, all files). */
  readonly writtenDir: string;
  /** What to start in place of a command. The room is for one run. */
  wrap(command: RoomCommand): RoomCommand;
  /** To be called after the run. */
  inspect(outcome: RoomOutcome): Promise<RoomFindings>;
  /** Never rejects. */
  close(): Promise<void>;
}

const FROM_OUTSIDE = 'a process outside the clean room changed its files while the command ran';

export async function overlayRoom(
  entrance: Entrance,
  files: readonly PutBack[],
  refusals: readonly string[],
): Promise<CleanRoom> {
  const { room, namespace } = entrance;
  const layer = join(room, entrance.layer);
  const then = join(room, 'then');
  const before = await stampsBelow(then, new Set(files.flatMap(({ path }) => [...foldersAbove(path), path])));
  return {
    kind: 'overlay',
    isSamePath: true,
    as: namespace.as,
    refusals,
    writtenDir: join(layer, 'written'),
    wrap: (command) => enter(entrance, command),
    inspect: async (outcome) => {
      const status = await statusIn(layer);
      if (status === undefined) return notEntered(outcome);
      const isChanged = (await changedBelow(then, before)).length > 0;
      const problem = isChanged ? FROM_OUTSIDE : await fullDisk(room, outcome, status.freeBytes);
      const touched = await touchedInLayer(layer, files);
      return { ...(problem && { problem }), touched, ...(status.isLost && { isWrittenLost: true }) };
    },
    close: () => removeRoomFolder(room),
  };
}

/** The copy is mounted on the work tree, or lies at another path. */
export async function copiedRoom(
  { room, tree }: RoomPlace,
  files: readonly PutBack[],
  { entrance, refusals }: ChosenEntrance,
): Promise<CleanRoom> {
  const copy = join(room, 'copy');
  const paths = files.map(({ path }) => path);
  const before = await stampsBelow(copy, paths);
  return {
    kind: 'copy',
    isSamePath: entrance !== undefined,
    as: entrance?.namespace.as,
    refusals,
    writtenDir: copy,
    wrap: (command) => (entrance === undefined ? moved(command, tree, copy) : enter(entrance, command)),
    inspect: async (outcome) => {
      if (entrance !== undefined && (await statusIn(join(room, entrance.layer))) === undefined)
        return notEntered(outcome);
      const problem = await fullDisk(room, outcome);
      return { ...(problem && { problem }), touched: await changedBelow(copy, before) };
    },
    close: () => removeRoomFolder(room),
  };
}

function notEntered({ output }: RoomOutcome): RoomFindings {
  const why = output.trim().split('\n').at(-1) || 'no reason is known';
  return { problem: `the clean room could not be entered: ${why}`, touched: [] };
}

/** The same command in the copy. */
function moved(command: RoomCommand, tree: string, copy: string): RoomCommand {
  const inside = relative(tree, realpathSync(command.cwd));
  if (inside === '..' || inside.startsWith(`..${sep}`)) return command;
  const cwd = join(copy, inside);
  return { ...command, cwd, env: { ...command.env, PWD: cwd } };
}

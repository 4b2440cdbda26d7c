import { join } from 'node:path';
import { messageOf } from '../model/errors.js';
import type { Json } from '../model/json.js';
import type { LoopState } from '../model/loop-state.js';
import { endOf, loopStateOf, type RunEnd } from '../model/phase.js';
import { spec } from '../model/recorded-shapes.js';
import type { RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';
import type { Spend } from '../model/usage.js';
import { type Disk, moveAside, NODE_DISK, readWholeFile, removeFile, statOf, writeNewFile, folderOf } from './disk.js';
import { sealLine, unsealLine } from './record-scanner.js';
import { type RunPlaces, SNAPSHOT_NAME } from './run-places.js';
import { isStateShape } from './state-shape.js';
import type { Warnings } from './journal.js';

/** Raise it when `RunState` changes its shape. The state of another format is not used: the journal is reduced from its start. */
export const SNAPSHOT_FORMAT = 8;

const LIMIT_BYTES = 64 * 1024 * 1024;

/** Where in the journal a state was taken. */
export interface JournalPosition {
  readonly seq: number;
  /** Bytes folded. */
  readonly offset: number;
  /** Bytes of the last line, with its newline. */
  readonly lineBytes: number;
  /** Checksum of the last line; empty when there is none. */
  readonly lineSum: string;
}

/** `state.json`: what an outside reader wants to know at the top, and the fold that a reopening starts from. */
export interface Snapshot extends JournalPosition {
  readonly format: number;
  readonly runId: string;
  readonly workingDir: string;
  readonly status: LoopState;
  readonly iterations: number;
  readonly activeMs: number;
  readonly startedAt?: string | undefined;
  readonly at?: string | undefined;
  readonly spend: Spend;
  readonly ended?: RunEnd | undefined;
  readonly state: RunState;
}

/** A `state.json` as it was read. All formats have the same keys around the state. */
export interface StoredSnapshot extends Omit<Snapshot, 'state'> {
  readonly spec?: RunSpec | undefined;
  /** Undefined when it has another format. */
  readonly state?: RunState | undefined;
}

/** Where a run took place. */
export type SnapshotPlace = Pick<StoredSnapshot, 'workingDir'> & {
  readonly spec?: Pick<RunSpec, 'worktree'> | undefined;
};

/** More keys for outside readers. They cannot replace the snapshot's own. */
export type ExtraKeys = (state: RunState) => Readonly<Record<string, Json>>;

export interface SnapshotSource {
  readonly runId: string;
  readonly workingDir: string;
  readonly extraKeys?: ExtraKeys | undefined;
}

/** Undefined when the state holds a number that JSON cannot: it must be folded from the journal. */
export function encodeSnapshot(source: SnapshotSource, state: RunState, position: JournalPosition): Buffer | undefined {
  const snapshot: Snapshot = {
    format: SNAPSHOT_FORMAT,
    runId: source.runId,
    workingDir: source.workingDir,
    status: loopStateOf(state),
    iterations: state.iterations,
    activeMs: state.activeMs,
    startedAt: state.startedAt,
    at: state.at,
    spend: totalSpend(state.spend),
    ended: endOf(state),
    ...position,
    state,
  };
  const json = JSON.stringify({ ...snapshot, ...source.extraKeys?.(state), ...snapshot });
  return json.includes('null') && hasLostNumber(state) ? undefined : sealLine(json);
}

/** The snapshot in a file, or undefined when it is missing or damaged. One of another format comes without its state. */
export function readSnapshot(path: string, disk: Disk = NODE_DISK): StoredSnapshot | undefined {
  try {
    const bytes = readWholeFile(disk, path, LIMIT_BYTES);
    if (bytes === undefined) return undefined;
    const value = unsealLine(bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes);
    return storedSnapshot(value);
  } catch {
    return undefined;
  }
}

function storedSnapshot(value: object | string): StoredSnapshot | undefined {
  if (!isEnvelope(value)) return undefined;
  const { state } = value;
  if (value.format === SNAPSHOT_FORMAT) return isStateShape(state) ? { ...value, spec: state.spec, state } : undefined;
  const { spec: recorded }: { readonly spec?: unknown } = Object(state);
  return { ...value, spec: isSpec(recorded) ? recorded : undefined, state: undefined };
}

function isEnvelope(value: object | string): value is Omit<Snapshot, 'state'> & { readonly state?: unknown } {
  const { format, runId, workingDir, seq, offset, lineBytes, lineSum, at, startedAt }: Partial<Snapshot> =
    Object(value);
  return (
    [runId, workingDir, lineSum].every((text) => typeof text === 'string') &&
    [at, startedAt].every((time) => time === undefined || typeof time === 'string') &&
    [format, seq, offset, lineBytes].every((count) => Number.isSafeInteger(count) && Number(count) >= 0)
  );
}

function isSpec(value: unknown): value is RunSpec {
  return spec(value);
}

/** JSON writes null for numbers that are not finite. */
function hasLostNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLostNumber);
}

/** Replaces `state.json`, if there is anything to write. It is only a cache: a failure is a warning, and false. */
export function replaceSnapshot(
  encode: () => Uint8Array | undefined,
  options: {
    readonly disk: Disk;
    readonly places: RunPlaces;
    readonly warnings: Warnings;
  },
): boolean {
  const { disk, places, warnings } = options;
  const path = join(folderOf(places.record), SNAPSHOT_NAME);
  const temp = `${path}.new`;
  try {
    const bytes = encode();
    if (bytes === undefined) return false;
    removeFile(disk, temp);
    writeNewFile(disk, temp, bytes);
    if (statOf(disk, path)?.isDirectory() === true) {
      warnings.warn(`a folder at ${path} was moved to ${moveAside(disk, path, 'foreign')}`);
    }
    disk.renameSync(temp, path);
    return true;
  } catch (error) {
    removeFile(disk, temp);
    warnings.warn(`cannot write ${path}: ${messageOf(error)}`);
    return false;
  }
}

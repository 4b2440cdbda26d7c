import * as fs from 'node:fs';
import type { Disk } from '../../src/journal/disk.js';

export const FAULTS = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE', 'EROFS'] as const;

export interface FaultPlan {
  /** The call that fails, from 1. */
  readonly call: number;
  readonly errno: string;
  /** Whether all calls after it fail too. */
  readonly sticky: boolean;
  /** Which calls count and can fail; the default is every one but the closing of files. */
  readonly only?: (name: keyof Disk) => boolean;
}

export interface FaultyDisk {
  readonly disk: Disk;
  /** Whether the fault has come. */
  readonly failed: () => boolean;
  /** The death of the process: no call has an effect any more, and its files are closed. */
  die(): void;
}

const NAMES = [
  'chmodSync',
  'closeSync',
  'fchmodSync',
  'fdatasync',
  'fdatasyncSync',
  'fstatSync',
  'fsyncSync',
  'ftruncateSync',
  'linkSync',
  'lstatSync',
  'mkdirSync',
  'openSync',
  'readSync',
  'renameSync',
  'rmdirSync',
  'unlinkSync',
  'writeSync',
] as const satisfies readonly (keyof Disk)[];

type Call = (...parameters: unknown[]) => unknown;

/** A disk on which one call fails, or all from one on. A failing write first writes a part, as a real one may. */
export function faultyDisk({ call, errno, sticky, only = (name) => name !== 'closeSync' }: FaultPlan): FaultyDisk {
  let calls = 0;
  let dead = false;
  const open = new Set<unknown>();

  const isDue = (name: keyof Disk): boolean => {
    if (dead) return true;
    if (!only(name)) return false;
    calls += 1;
    return sticky ? calls >= call : calls === call;
  };
  const fail = (name: keyof Disk, parameters: unknown[]): Error => {
    if (name === 'writeSync' && !dead) writePart(parameters);
    return Object.assign(new Error(`${errno}: injected, ${name}`), { code: errno });
  };

  const wrap = (name: keyof Disk): Call => {
    const real = fs[name] as unknown as Call;
    return (...parameters) => {
      if (isDue(name)) {
        const error = fail(name, parameters);
        if (name !== 'fdatasync') throw error;
        const callback = parameters.at(-1) as (error: Error) => void;
        return setImmediate(() => callback(error));
      }
      const result = real(...parameters);
      if (name === 'openSync') open.add(result);
      if (name === 'closeSync') open.delete(parameters[0]);
      return result;
    };
  };

  return {
    disk: Object.fromEntries(NAMES.map((name) => [name, wrap(name)])) as unknown as Disk,
    failed: () => calls >= call,
    die() {
      dead = true;
      for (const descriptor of open) fs.closeSync(descriptor as number);
      open.clear();
    },
  };
}

function writePart(parameters: unknown[]): void {
  const [descriptor, bytes, offset, length, position] = parameters as [number, Uint8Array, number, number, number];
  if (length > 1) fs.writeSync(descriptor, bytes, offset, Math.floor(length / 2), position);
}

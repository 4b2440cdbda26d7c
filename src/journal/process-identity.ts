import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasExited, parseProcStat, type ProcStat } from '../model/proc-stat.js';
import { errnoOf } from './disk.js';

/** Which process, beyond doubt: a pid alone is used again. What the system does not tell is undefined. */
export interface ProcessIdentity {
  readonly host: string;
  readonly bootId?: string | undefined;
  readonly pidNamespace?: string | undefined;
  readonly pid: number;
  /** Clock ticks from boot to the start of the process. */
  readonly startTime?: string | undefined;
}

export function ownIdentity(): ProcessIdentity {
  return {
    host: hostname(),
    bootId: tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: tryRead(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    startTime: statOfProcess(process.pid)?.startTime,
  };
}

/** `elsewhere`: it cannot be seen from here, so it must be taken for alive. */
export type Liveness = 'alive' | 'gone' | 'elsewhere';

/** Whether a process is still there, as far as it can be told from `self`. */
export function livenessOf(other: ProcessIdentity, self: ProcessIdentity): Liveness {
  if (other.host !== self.host) return 'elsewhere';
  if (other.bootId !== self.bootId) {
    return other.bootId === undefined || self.bootId === undefined ? 'elsewhere' : 'gone';
  }
  if (other.pidNamespace !== self.pidNamespace) return 'elsewhere';
  return isRunning(other) ? 'alive' : 'gone';
}

function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  const stat = statOfProcess(pid);
  // No /proc, or one that hides the processes of others: the signal 0 still tells.
  if (stat === undefined) return answersSignal(pid);
  return !hasExited(stat) && (startTime === undefined || stat.startTime === startTime);
}

function statOfProcess(pid: number): ProcStat | undefined {
  return tryRead(() => parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1')));
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

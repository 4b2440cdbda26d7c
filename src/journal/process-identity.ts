import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

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
    startTime: tryRead(() => startTimeIn(readFileSync(`/proc/${process.pid}/stat`, 'utf8'))),
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
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // No /proc, or one that hides the processes of others: the signal 0 still tells.
    return answersSignal(pid);
  }
  if (hasExited(stat)) return false;
  return startTime === undefined || startTimeIn(stat) === startTime;
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** The program's name may hold spaces and brackets, so that fields are counted after the last bracket. */
function fieldsAfterName(stat: string): readonly string[] {
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .trim()
    .split(' ');
}

/** Field 22 of /proc/PID/stat; the first after the name is field 3. */
export function startTimeIn(stat: string): string | undefined {
  return fieldsAfterName(stat)[19];
}

/** A zombie has a pid and writes no more. */
function hasExited(stat: string): boolean {
  const [status] = fieldsAfterName(stat);
  return status === 'Z' || status === 'X';
}

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

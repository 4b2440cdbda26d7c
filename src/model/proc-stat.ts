/** What /proc/PID/stat says of a process. */
export interface ProcStat {
  /** One letter: R, S, D, T, Z, X ... */
  readonly status: string;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** Part of the system: it has neither arguments nor an environment. */
  readonly isKernelThread: boolean;
  /** Clock ticks from boot to its start: with the pid it names a process beyond doubt. */
  readonly startTime: string;
  /** 0 when it has none, is between two programs, or does not let us know. */
  readonly environmentBytes: number;
}

/** The program's name may hold spaces and brackets, so that fields are counted after the last bracket. */
export function parseProcStat(text: string): ProcStat | undefined {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .trim()
    .split(' ');
  const [status, parentPid, groupId, sessionId, , , flags] = fields;
  const startTime = fields[19];
  const [environmentStart = 0, environmentEnd = 0] = fields.slice(47, 49);
  if (status === undefined || startTime === undefined) return undefined;
  return {
    status,
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    sessionId: Number(sessionId),
    isKernelThread: (Number(flags) & KERNEL_THREAD) !== 0,
    startTime,
    environmentBytes: Number(environmentEnd) - Number(environmentStart),
  };
}

/** PF_KTHREAD of the kernel's flags. */
const KERNEL_THREAD = 0x20_00_00;

/** A zombie has a pid and does nothing any more. */
export function hasExited({ status }: ProcStat): boolean {
  return status === 'Z' || status === 'X';
}

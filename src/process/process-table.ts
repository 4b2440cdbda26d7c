import { readdirSync, readFileSync } from 'node:fs';
import { hasExited, parseProcStat, type ProcStat } from '../model/proc-stat.js';

/** Handed down by every process to its children, unless one takes care not to. */
export const COOKIE_VARIABLE = 'PAWL_COOKIE';

/** Given to the agent of an iteration alone: whoever makes a claim in its name has to know what is in it. */
export const CLAIM_KEY_VARIABLE = 'PAWL_CLAIM_KEY';

/** Where the system tells of its processes. */
const PROC = '/proc';

/** A process, named beyond doubt: a pid alone is used again. */
export interface ProcessName {
  readonly pid: number;
  readonly startTime: string;
}

/** The system's processes as far as this user can see them. Empty where there is no /proc. */
export function allPids(proc = PROC): readonly number[] {
  try {
    return readdirSync(proc)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

export function statOf(pid: number, proc = PROC): ProcStat | undefined {
  try {
    return parseProcStat(readFileSync(`${proc}/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** A child that nobody has waited for yet has its entry, dead or not; without a /proc nobody looks for it by its name. */
export function nameOfChild(pid: number, proc = PROC): ProcessName {
  return { pid, startTime: statOf(pid, proc)?.startTime ?? '0' };
}

export function isAlive({ pid, startTime }: ProcessName): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.startTime === startTime && !hasExited(stat);
}

/** Everything below a process, by parent, at this moment. */
export function descendantsOf(root: number, proc = PROC): readonly ProcessName[] {
  const found: ProcessName[] = [];
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const child of childrenOf(pid, proc)) {
      const stat = statOf(child, proc);
      if (stat === undefined || found.some((one) => one.pid === child)) continue;
      found.push({ pid: child, startTime: stat.startTime });
      waiting.push(child);
    }
  }
  return found;
}

/** The kernel keeps a list per thread; without it every process is asked for its parent. */
function childrenOf(pid: number, proc: string): readonly number[] {
  try {
    const threads = readdirSync(`${proc}/${pid}/task`);
    return threads.flatMap((thread) => numbers(readFileSync(`${proc}/${pid}/task/${thread}/children`, 'latin1')));
  } catch {
    if (statOf(pid, proc) === undefined) return [];
    return allPids(proc).filter((other) => statOf(other, proc)?.parentPid === pid);
  }
}

function numbers(text: string): readonly number[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map(Number);
}

/** Who was there at a moment, so that those who came later can be told. */
export interface Census {
  readonly pids: ReadonlySet<number>;
  readonly forks: number | undefined;
}

/** No pid comes round again before nearly all others were given out, and no system has fewer than 32,768. */
const FEWEST_PIDS_IN_A_ROUND = 16_384;

export function takeCensus(proc = PROC): Census {
  return { pids: new Set(allPids(proc)), forks: forksSoFar(proc) };
}

/** Whether between two moments no pid can have been used again. */
export function isFirstRound(earlier: Pick<Census, 'forks'>, later: Pick<Census, 'forks'>): boolean {
  if (earlier.forks === undefined || later.forks === undefined) return false;
  return later.forks - earlier.forks < FEWEST_PIDS_IN_A_ROUND;
}

/** Processes that may have come since a census: all of them when pids may have been used again. */
function newcomers(earlier: Census, now: Census): readonly number[] {
  const pids = [...now.pids];
  return isFirstRound(earlier, now) ? pids.filter((pid) => !earlier.pids.has(pid)) : pids;
}

/** Processes that the system has started since it booted. */
function forksSoFar(proc: string): number | undefined {
  try {
    const forks = /^processes (\d+)$/m.exec(readFileSync(`${proc}/stat`, 'latin1'))?.[1];
    return forks === undefined ? undefined : Number(forks);
  } catch {
    return undefined;
  }
}

/** Every live process, but this one, that has the cookie in its environment; only those since the census, if there is one. */
export function processesWithCookie(cookie: string, since?: Census, proc = PROC): readonly ProcessName[] {
  if (since !== undefined) return newcomersWithCookie(cookie, since, () => takeCensus(proc), proc);
  return processesWith(`${COOKIE_VARIABLE}=${cookie}\0`, () => allPids(proc), proc);
}

/** The same of those who came between a census and another look. */
export function newcomersWithCookie(
  cookie: string,
  since: Census,
  look: () => Census,
  proc = PROC,
): readonly ProcessName[] {
  return processesWith(`${COOKIE_VARIABLE}=${cookie}\0`, () => newcomers(since, look()), proc);
}

/** Every live process that was started for a run: its cookies begin with its id. */
export function processesOfRun(runId: string, proc = PROC): readonly ProcessName[] {
  return processesWith(`${COOKIE_VARIABLE}=${runId}.`, () => allPids(proc), proc);
}

const MOST_LOOKS = 3;

/** One that ended between the look and the question may have left a child that came after the look: one looks again. */
function processesWith(text: string, look: () => readonly number[], proc: string): readonly ProcessName[] {
  const needle = Buffer.from(text);
  const dead = new Set<number>();
  for (let looks = 1; ; looks++) {
    const found: ProcessName[] = [];
    let hasLostOne = false;
    for (const pid of look()) {
      if (pid === process.pid) continue;
      const environment = environmentOf(pid, proc);
      const isMarked = environment.includes(needle);
      if (!isMarked && environment.length > 0) continue;
      const stat = statOf(pid, proc);
      if (stat !== undefined && !hasExited(stat)) {
        if (isMarked) found.push({ pid, startTime: stat.startTime });
      } else if (!dead.has(pid)) {
        // Nobody may have waited for it yet.
        dead.add(pid);
        hasLostOne = true;
      }
    }
    if (found.length > 0 || !hasLostOne || looks === MOST_LOOKS) return found;
  }
}

/**
 * Empty when it has none, cannot be read, or the process is gone. A process that becomes another program has neither an
 * environment nor arguments for a moment, and a file that was opened before that moment reads as empty: look again then.
 */
export function environmentOf(pid: number, proc = PROC): Buffer {
  const since = performance.now();
  for (let looks = 1; ; ) {
    const environment = contentOf(`${proc}/${pid}/environ`);
    if (environment === undefined || environment.length > 0) return environment ?? NOTHING;
    const hasArguments = contentOf(`${proc}/${pid}/cmdline`)?.length !== 0;
    const stat = statOf(pid, proc);
    if (stat === undefined || hasExited(stat) || stat.isKernelThread) return NOTHING;
    const hasNone = hasArguments && stat.environmentBytes === 0;
    if (hasNone ? ++looks > LOOKS_AT_NOTHING : performance.now() - since > LONGEST_EXEC_MS) return NOTHING;
    if (!hasArguments) Atomics.wait(NEVER_WOKEN, 0, 0, 1);
  }
}

/** It takes microseconds, but a busy system or a slow disk may let it wait. */
const LONGEST_EXEC_MS = 1000;
/** Between the looks at the arguments and at the environment it may have begun to become another program. */
const LOOKS_AT_NOTHING = 3;
const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

const NOTHING = Buffer.alloc(0);

/** Deeper than any tree of processes that a person has made. */
const MOST_ANCESTORS = 100;

/** The cookies that this process, and those above it, were started with, the nearest first. */
export function inheritedCookies(
  environment: Readonly<Record<string, string | undefined>>,
  proc = PROC,
): readonly string[] {
  const found: string[] = [];
  const own = environment[COOKIE_VARIABLE];
  if (own !== undefined && own !== '') found.push(own);
  let pid: number | undefined = process.ppid;
  for (let height = 0; pid !== undefined && pid > 1 && height < MOST_ANCESTORS; height += 1) {
    const cookie = cookieIn(environmentOf(pid, proc));
    if (cookie !== undefined && cookie !== '' && !found.includes(cookie)) found.push(cookie);
    pid = statOf(pid, proc)?.parentPid;
  }
  return found;
}

export function cookieIn(environment: Buffer): string | undefined {
  const at = environment.indexOf(`${COOKIE_VARIABLE}=`);
  if (at < 0) return undefined;
  const from = at + COOKIE_VARIABLE.length + 1;
  const end = environment.indexOf(0, from);
  return environment.toString('utf8', from, end < 0 ? undefined : end);
}

import { readdirSync, readFileSync } from 'node:fs';
import { hasExited, parseProcStat, type ProcStat } from '../model/proc-stat.js';

/** Every process passes it on to its children, unless it removes it. */
export const COOKIE_VARIABLE = 'PAWL_COOKIE';

/** Only the agent of an iteration has it: a claim in its name must be signed with it. */
export const CLAIM_KEY_VARIABLE = 'PAWL_CLAIM_KEY';

/** Where the system lists its processes. */
const PROC = '/proc';

/** A process. A pid alone is not enough: pids are reused. */
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

/** A child has its entry until Node waits for it, dead or not. Without a /proc the name is not used. */
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

/** The kernel has a list per thread. Without it, the parent of every process is read. */
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

/** The processes of one moment, so that later ones can be distinguished. */
export interface Census {
  readonly pids: ReadonlySet<number>;
  readonly forks: number | undefined;
}

/** A pid is reused only after nearly all others were used, and no system has fewer than 32,768. */
const FEWEST_PIDS_IN_A_ROUND = 16_384;

export function takeCensus(proc = PROC): Census {
  return { pids: new Set(allPids(proc)), forks: forksSoFar(proc) };
}

/** After a longer time so many may have come that a new census costs less than a search among them. */
const YOUNG_MS = 1000;

let last: { readonly census: Census; readonly atMs: number } | undefined;

/** The processes that run now. */
export function newCensus(): Census {
  const atMs = performance.now();
  last = { census: takeCensus(), atMs };
  return last.census;
}

/**
 * The processes that ran a moment ago: none that starts from now on is among them. A loop takes a census after the end of
 * each process, which serves for the next.
 */
export function recentCensus(): Census {
  return last !== undefined && performance.now() - last.atMs < YOUNG_MS ? last.census : newCensus();
}

/** Whether no pid can have been reused between two moments. */
export function isFirstRound(earlier: Pick<Census, 'forks'>, later: Pick<Census, 'forks'>): boolean {
  if (earlier.forks === undefined || later.forks === undefined) return false;
  return later.forks - earlier.forks < FEWEST_PIDS_IN_A_ROUND;
}

/** Processes that may have started since a census: all of them if pids may have been reused. */
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

/** Every live process except this one that has the cookie in its environment. With a census, only those since then. */
export function processesWithCookie(cookie: string, since?: Census, proc = PROC): readonly ProcessName[] {
  if (since !== undefined) return newcomersWithCookie(cookie, since, () => takeCensus(proc), proc);
  return processesWith(`${COOKIE_VARIABLE}=${cookie}\0`, () => allPids(proc), proc);
}

/** The same for the processes that started between two censuses. */
export function newcomersWithCookie(
  cookie: string,
  since: Census,
  take: () => Census,
  proc = PROC,
): readonly ProcessName[] {
  return processesWith(`${COOKIE_VARIABLE}=${cookie}\0`, () => newcomers(since, take()), proc);
}

/** Every live process of a run: its cookies begin with the id of the run. */
export function processesOfRun(runId: string, proc = PROC): readonly ProcessName[] {
  return processesWith(`${COOKIE_VARIABLE}=${runId}.`, () => allPids(proc), proc);
}

const MOST_SEARCHES = 3;

/** A process that ended during the search may have left a child that started after the list was made: then it searches again. */
function processesWith(text: string, list: () => readonly number[], proc: string): readonly ProcessName[] {
  const needle = Buffer.from(text);
  const dead = new Set<number>();
  for (let searches = 1; ; searches++) {
    const found: ProcessName[] = [];
    let hasLostOne = false;
    for (const pid of list()) {
      if (pid === process.pid) continue;
      const environment = environmentOf(pid, proc);
      const isMarked = environment.includes(needle);
      if (!isMarked && environment.length > 0) continue;
      const stat = statOf(pid, proc);
      if (stat !== undefined && !hasExited(stat)) {
        if (isMarked) found.push({ pid, startTime: stat.startTime });
      } else if (!dead.has(pid)) {
        // Its parent may not have waited for it yet.
        dead.add(pid);
        hasLostOne = true;
      }
    }
    if (found.length > 0 || !hasLostOne || searches === MOST_SEARCHES) return found;
  }
}

/**
 * Empty when it has none, cannot be read, or the process is gone. A process that becomes another program has neither an
 * environment nor arguments for a moment, and a file that was opened before that moment reads as empty: then it is read again.
 */
export function environmentOf(pid: number, proc = PROC): Buffer {
  const since = performance.now();
  for (let reads = 1; ; ) {
    const environment = contentOf(`${proc}/${pid}/environ`);
    if (environment === undefined || environment.length > 0) return environment ?? NOTHING;
    const hasArguments = contentOf(`${proc}/${pid}/cmdline`)?.length !== 0;
    const stat = statOf(pid, proc);
    if (stat === undefined || hasExited(stat) || stat.isKernelThread) return NOTHING;
    const hasNone = hasArguments && stat.environmentBytes === 0;
    if (hasNone ? ++reads > READS_OF_NOTHING : performance.now() - since > LONGEST_EXEC_MS) return NOTHING;
    if (!hasArguments) Atomics.wait(NEVER_WOKEN, 0, 0, 1);
  }
}

/** It takes microseconds, but a busy system or a slow disk may delay it. */
const LONGEST_EXEC_MS = 1000;
/** Between the two reads it may have begun to become another program. */
const READS_OF_NOTHING = 3;
const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

const NOTHING = Buffer.alloc(0);

/** Deeper than any real tree of processes. */
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

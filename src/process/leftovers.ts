import { hasExited } from '../model/proc-stat.js';
import {
  type Census,
  COOKIE_VARIABLE,
  cookieIn,
  environmentOf,
  isFirstRound,
  type ProcessName,
  statOf,
  takeCensus,
} from './process-table.js';

/**
 * Finds what commands leave behind that shells do one after the other, with one look at the system per command: the look
 * after one is the census for those that begin after it, and whose a process is has to be read but once.
 */
export class Leftovers {
  readonly #standby: string;
  /** Of processes that were found to belong to a command that still runs. */
  readonly #owners = new Map<number, { readonly cookie: string; readonly forks: number | undefined }>();
  readonly #running = new Set<string>();
  #census: Census;
  #looking: Promise<Census> | undefined;

  /** `standby`: the cookie of the shells themselves. */
  constructor(standby: string) {
    this.#standby = entry(standby);
    this.#census = takeCensus();
  }

  /** A command begins. */
  begin(cookie: string): Census {
    this.#running.add(cookie);
    return this.#census;
  }

  end(cookie: string): void {
    this.#running.delete(cookie);
  }

  /** Who is left of a command: by its cookie, or in the group of its shell without being the shell. */
  async of(cookie: string, shellPid: number, since: Census): Promise<readonly ProcessName[]> {
    const census = await this.#look();
    const isComplete = isFirstRound(since, census);
    const found: ProcessName[] = [];
    for (const pid of census.pids) {
      if (isComplete && since.pids.has(pid)) continue;
      const name = this.#isOf(pid, cookie, shellPid, census) ? nameOf(pid) : undefined;
      if (name !== undefined) found.push(name);
    }
    this.#forget(census);
    return found;
  }

  /** One look for all commands that have ended by now. */
  #look(): Promise<Census> {
    this.#looking ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#looking = undefined;
        this.#census = takeCensus();
        resolve(this.#census);
      });
    });
    return this.#looking;
  }

  #isOf(pid: number, cookie: string, shellPid: number, { forks }: Census): boolean {
    if (pid === process.pid || pid === shellPid) return false;
    const owner = this.#owners.get(pid);
    if (owner !== undefined && owner.cookie !== cookie && this.#running.has(owner.cookie)) return false;
    const environment = environmentOf(pid);
    if (environment.includes(entry(cookie))) return true;
    if (environment.includes(this.#standby)) return false;
    const other = cookieIn(environment);
    if (other !== undefined && this.#running.has(other)) this.#owners.set(pid, { cookie: other, forks });
    return other === undefined && statOf(pid)?.groupId === shellPid;
  }

  /** A pid may be used again. */
  #forget(census: Census): void {
    for (const [pid, { cookie, forks }] of this.#owners) {
      const isRecent = isFirstRound({ forks }, census);
      if (!isRecent || !census.pids.has(pid) || !this.#running.has(cookie)) this.#owners.delete(pid);
    }
  }
}

function nameOf(pid: number): ProcessName | undefined {
  const stat = statOf(pid);
  return stat === undefined || hasExited(stat) ? undefined : { pid, startTime: stat.startTime };
}

function entry(cookie: string): string {
  return `${COOKIE_VARIABLE}=${cookie}\0`;
}

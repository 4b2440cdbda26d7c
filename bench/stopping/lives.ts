import { readdirSync, readFileSync } from 'node:fs';

/** A zombie has ended; only its parent has not noticed. */
export function isAlive(pid: number): boolean {
  const fields = statOf(pid);
  return fields !== undefined && fields.state !== 'Z';
}

function statOf(pid: number): { readonly state: string; readonly group: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', , group = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, group: Number(group) };
  } catch {
    return undefined;
  }
}

export function membersOf(group: number): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => statOf(pid)?.group === group);
}

/** The living processes that carry the mark of a stage in their environment. */
export function markedBy(mark: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.map(Number).filter((pid) => isAlive(pid) && environmentOf(pid).includes(`STOPPING_MARK=${mark}\0`));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in this moment.
  }
}

/** When each process was first seen dead. */
export class DeathWatch {
  readonly #deadAt = new Map<number, number>();

  look(pids: readonly number[]): void {
    for (const pid of pids) if (!this.#deadAt.has(pid) && !isAlive(pid)) this.#deadAt.set(pid, Date.now());
  }

  /** When the last of them was gone; undefined while one lives. */
  allGoneAt(pids: readonly number[]): number | undefined {
    const times = pids.map((pid) => this.#deadAt.get(pid) ?? Number.NaN);
    const last = Math.max(...times);
    return Number.isNaN(last) ? undefined : last;
  }
}

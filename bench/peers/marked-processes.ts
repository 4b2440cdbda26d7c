import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export type Role = 'agent' | 'child' | 'grandchild';

const PROGRAMS: Readonly<Record<Role, string>> = {
  agent: 'bin/claude',
  child: 'bin/child',
  grandchild: 'bin/grandchild',
};

/** The living processes that carry the mark of a scratch folder in their environment or their arguments. */
function marked(mark: string): readonly { readonly pid: number; readonly words: string }[] {
  const found = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const words = read(`/proc/${name}/cmdline`);
    // A zombie has neither.
    if (words === '') continue;
    if (words.includes(mark) || read(`/proc/${name}/environ`).includes(`PEERS_MARK=${mark}`)) {
      found.push({ pid: Number(name), words });
    }
  }
  return found;
}

/** The processes of one role that are alive. */
export function pidsOf(role: Role, mark: string): readonly number[] {
  return marked(mark)
    .filter(({ words }) => words.split('\0').some((word) => word.endsWith(`${mark}/${PROGRAMS[role]}`)))
    .map(({ pid }) => pid);
}

/** Ends what carries the mark, by pid, until nothing does. */
export async function endMarked(mark: string): Promise<void> {
  for (let round = 0; round < 50; round++) {
    const left = marked(mark);
    if (left.length === 0) return;
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    await pause(20);
  }
}

/** The most memory that a process had, in bytes; undefined when it is gone. */
export function peakMemoryBytes(pid: number): number | undefined {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

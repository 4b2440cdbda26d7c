import { setTimeout as pause } from 'node:timers/promises';
import { descendantsOf, isAlive, type ProcessName, processesOfRun } from './process-table.js';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * P1: no descendant that kept its environment or its parent outlives its iteration. The group dies by signal; what left
 * the group is found by the snapshot of descendants (pid and start time) and by the cookie in its environment.
 */
const ROUNDS = 200;
const ROUND_MS = 5;

/** Sends a signal to a whole process group; false when there is none. */
export function signalGroup(groupId: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-groupId, signal);
    return true;
  } catch {
    return false;
  }
}

/** Only if it is still that process: pids are reused. */
function signalProcess(name: ProcessName, signal: NodeJS.Signals): void {
  if (!isAlive(name)) return;
  try {
    process.kill(name.pid, signal);
  } catch {
    // It ended in between, or belongs to another user.
  }
}

/** What leads to the processes that an agent left behind. */
export interface Traces {
  readonly groupId?: number | undefined;
  /** Descendants that were seen while it ran. */
  readonly seen: readonly ProcessName[];
  /** Finds the processes with its cookie. */
  readonly search: () => readonly ProcessName[];
}

export interface Reaped {
  readonly killed: number;
  /** Those that could not be killed. */
  readonly left: readonly ProcessName[];
}

/** Ends what a runner that died left running. `agent` is the last one that it recorded. */
export function reapRun(runId: string, agent?: ProcessName): Promise<Reaped> {
  const lives = agent !== undefined && isAlive(agent);
  const seen = lives ? [agent, ...descendantsOf(agent.pid)] : [];
  return reap({ groupId: lives ? agent.pid : undefined, seen, search: () => processesOfRun(runId) });
}

/** Kills everything that the traces lead to, until nothing is left. */
export async function reap(traces: Traces): Promise<Reaped> {
  const killed = new Set<string>();
  if (traces.groupId !== undefined) signalGroup(traces.groupId, 'SIGKILL');
  let seen = traces.seen;
  for (let round = 0; ; round++) {
    const found = [...seen.filter(isAlive), ...traces.search()];
    // A straggler may have children that have neither the cookie nor the agent above them.
    seen = [...found, ...found.flatMap(({ pid }) => descendantsOf(pid))];
    if (seen.length === 0 || round === ROUNDS) return { killed: killed.size, left: seen };
    for (const name of seen) {
      killed.add(`${name.pid} ${name.startTime}`);
      signalProcess(name, 'SIGKILL');
    }
    // oxlint-disable-next-line no-await-in-loop -- the dead need a moment to be gone
    await pause(ROUND_MS);
  }
}

/** How long output may come after the process is gone: another process may hold the pipe forever. */
const DRAIN_MS = 500;
/** Between two steps Node reads what has arrived, even if Pawl was busy. */
const STEPS = 10;

/** Waits until both pipes of a dead process are read to their end, but not forever, and closes them. */
export async function drainPipes({ stdout, stderr }: ChildProcess): Promise<void> {
  const open = [stdout, stderr].filter((stream) => stream !== null && !stream.readableEnded);
  const ends = open.map((stream) => once(stream as NonNullable<typeof stream>, 'close').catch(() => undefined));
  const all = Promise.all(ends).then(() => true);
  for (let step = 0; step < STEPS; step += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    if (await Promise.race([all, pause(DRAIN_MS / STEPS, false, { ref: false })])) break;
  }
  stdout?.destroy();
  stderr?.destroy();
}

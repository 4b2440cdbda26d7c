import { setTimeout as pause } from 'node:timers/promises';
import type { Effort } from '../effort.js';
import type { Launched } from '../launched.js';
import { pidsOf, type Role } from '../marked-processes.js';
import { type Cannot, isCannot, type Runner } from '../runner.js';
import { quickest, type ScratchRun, until, whyNot, withRun } from '../scratch-run.js';
import type { Cell, Table } from '../table.js';

const ROLES: readonly Role[] = ['agent', 'child', 'grandchild'];
const EVENTS = ['timeout', 'interrupt', 'terminate'] as const;
type Event = (typeof EVENTS)[number];

const TIMEOUT_MS = 2000;
const PATIENCE_MS = 15_000;
/** Above all patience together. */
const LIMIT = { limitMs: 75_000 } as const;

interface Aftermath {
  readonly left: readonly Role[];
  /** From the signal, or from the agent's start for a timeout; undefined when the runner still ran after the patience. */
  readonly endedSeconds: number | undefined;
  readonly presses: number;
}

async function aftermath(run: ScratchRun, event: Event, { secondPressMs }: Effort): Promise<Aftermath | Cannot> {
  const { scratch, launched } = run;
  const alive = (role: Role) => pidsOf(role, scratch.mark).length > 0;
  const isUp = () => ROLES.every(alive);
  if (!(await until(() => isUp() || launched.exitCode !== undefined, 30_000)) || launched.exitCode !== undefined) {
    return whyNot(run);
  }
  const presses = event === 'interrupt' ? await press(launched, secondPressMs) : 0;
  const since = Date.now();
  if (event === 'terminate') launched.signal('SIGTERM');
  const code = await launched.within(event === 'timeout' ? TIMEOUT_MS + PATIENCE_MS : PATIENCE_MS);
  const endedSeconds = code === undefined ? undefined : (Date.now() - since) / 1000;
  await pause(500);
  return { left: ROLES.filter(alive), endedSeconds, presses };
}

/** Presses Ctrl-C, and once more when the first does not end it; returns how often it was pressed. */
async function press(launched: Launched, secondPressMs: number): Promise<number> {
  launched.interruptGroup();
  if ((await launched.within(secondPressMs)) !== undefined) return 1;
  launched.interruptGroup();
  return 2;
}

/** The worst of some rounds: what was left over in any, and the longest time. */
function worst(rounds: readonly Aftermath[]): Aftermath {
  const times = rounds.map(({ endedSeconds }) => endedSeconds);
  return {
    left: ROLES.filter((role) => rounds.some(({ left }) => left.includes(role))),
    presses: Math.max(...rounds.map(({ presses }) => presses)),
    endedSeconds: times.some((time) => time === undefined) ? undefined : Math.max(...times.map((time) => time ?? 0)),
  };
}

async function measured(runner: Runner, event: Event, effort: Effort): Promise<Aftermath | Cannot> {
  const request = { ...quickest(runner, 1), timeoutMs: event === 'timeout' ? TIMEOUT_MS : undefined };
  const taken: Aftermath[] = [];
  for (let round = 0; round < effort.survivalRounds; round++) {
    const use = (run: ScratchRun) => aftermath(run, event, effort);
    const one = await withRun(runner, request, { kind: 'spawn-and-hang' }, use, LIMIT);
    if (isCannot(one)) return one;
    taken.push(one);
    // A runner that gets stuck does so every time, and costs the whole patience.
    if (one.endedSeconds === undefined) break;
  }
  return worst(taken);
}

async function cellsOf(runner: Runner, effort: Effort): Promise<Record<string, Cell>> {
  const cells: Record<string, Cell> = {};
  for (const event of EVENTS) {
    const found = await measured(runner, event, effort);
    if (isCannot(found)) {
      cells[`${event}Left`] = found;
      continue;
    }
    cells[`${event}Left`] = found.left.join(', ') || 'nothing';
    const seconds = found.endedSeconds ?? `stuck (${PATIENCE_MS / 1000} s)`;
    if (event === 'interrupt') cells['presses'] = typeof seconds === 'string' ? seconds : found.presses;
    else cells[`${event}Seconds`] = seconds;
  }
  return cells;
}

/** What is still alive after the agent should be gone. */
export async function measureSurvival(runners: readonly Runner[], effort: Effort): Promise<Table> {
  const rows = [];
  for (const runner of runners) rows.push({ runner: runner.id, cells: await cellsOf(runner, effort) });
  const titles = { timeout: 'a timeout', interrupt: 'Ctrl-C', terminate: 'SIGTERM' } as const;
  return {
    id: 'survival',
    title: 'What survives',
    about:
      'The agent starts a child in its process group and a grandchild in a session of its own; both ignore every polite ' +
      'signal and keep the output open. Then a timeout of 2 s, Ctrl-C (SIGINT to the foreground group, a second one when the ' +
      'first did not end the runner soon), or SIGTERM to ' +
      `the runner. What is alive half a second after the runner ended, in any of ${effort.survivalRounds} rounds, and how long that took.`,
    columns: EVENTS.flatMap((event) => [
      { id: `${event}Left`, title: `alive after ${titles[event]}`, unit: 'text' } as const,
      event === 'interrupt'
        ? ({ id: 'presses', title: 'presses', unit: 'count' } as const)
        : ({ id: `${event}Seconds`, title: 'ended in', unit: 'seconds' } as const),
    ]),
    rows,
  };
}

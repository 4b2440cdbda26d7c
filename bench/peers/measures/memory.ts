import { setTimeout as pause } from 'node:timers/promises';
import type { Effort } from '../effort.js';
import type { Deed } from '../fake-agent.js';
import { peakMemoryBytes } from '../marked-processes.js';
import { type Cannot, isCannot, type Runner } from '../runner.js';
import { quickest, withRun } from '../scratch-run.js';
import type { Cell, Table } from '../table.js';

const LIMIT_MS = 180_000;
const MB = 1_000_000;

interface Peak {
  readonly megabytes: number;
  readonly seconds: number;
}

/** The most memory of the runner's own process in a run of one iteration. */
function peak(runner: Runner, deed: Deed): Promise<Peak | Cannot> {
  return withRun(
    runner,
    quickest(runner, 1),
    deed,
    async ({ scratch, launched }) => {
      let bytes = 0;
      while (launched.exitCode === undefined && Date.now() - launched.startedMs < LIMIT_MS) {
        bytes = Math.max(bytes, peakMemoryBytes(launched.pid) ?? 0);
        await pause(10);
      }
      if (launched.exitCode === undefined) return { cannot: `not done after ${LIMIT_MS / 1000} s` };
      if (scratch.ends().length === 0) return { cannot: `cut the agent off, exits with ${launched.exitCode}` };
      return { megabytes: bytes / MB, seconds: (Date.now() - launched.startedMs) / 1000 };
    },
    { output: 'none' },
  );
}

async function cellsOf(runner: Runner, outputBytes: readonly number[]): Promise<Record<string, Cell>> {
  const silent = await peak(runner, { kind: 'work' });
  if (isCannot(silent)) return { silent };
  const cells: Record<string, Cell> = { silent: silent.megabytes };
  for (const bytes of outputBytes) {
    const printing = await peak(runner, { kind: 'print', bytes });
    if (isCannot(printing)) {
      cells[`peak${bytes}`] = printing;
      continue;
    }
    cells[`peak${bytes}`] = printing.megabytes;
    cells[`ratio${bytes}`] = printing.megabytes / silent.megabytes;
    cells[`seconds${bytes}`] = printing.seconds;
  }
  return cells;
}

/** The runner's memory while its agent prints a lot, as lines of stream-json. */
export async function measureMemory(runners: readonly Runner[], { outputBytes }: Effort): Promise<Table> {
  const rows = [];
  for (const runner of runners) rows.push({ runner: runner.id, cells: await cellsOf(runner, outputBytes) });
  const named = (bytes: number) => (bytes < 1000 * MB ? `${bytes / MB} MB` : `${bytes / MB / 1000} GB`);
  return {
    id: 'memory',
    title: 'Memory',
    about:
      "The peak of the runner's own process in a run of one iteration, its output thrown away: an agent that prints three " +
      'lines, and one that prints that much. "x silent" is against the same runner with the silent agent.',
    columns: [
      { id: 'silent', title: 'silent agent', unit: 'megabytes' },
      ...outputBytes.flatMap((bytes) => [
        { id: `peak${bytes}`, title: named(bytes), unit: 'megabytes' } as const,
        { id: `ratio${bytes}`, title: 'x silent', unit: 'ratio' } as const,
        { id: `seconds${bytes}`, title: 'in', unit: 'seconds' } as const,
      ]),
    ],
    rows,
  };
}

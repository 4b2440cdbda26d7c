import { totalmem } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Effort } from '../effort.js';
import type { Deed } from '../fake-agent.js';
import { peakMemoryBytes } from '../marked-processes.js';
import { type Cannot, isCannot, type Runner } from '../runner.js';
import { quickest, type ScratchRun, withRun } from '../scratch-run.js';
import type { Cell, Table } from '../table.js';

const MB = 1_000_000;
/** A runner that takes more than half of the machine's is ended, before there is none left. */
const MOST_BYTES = totalmem() / 2;
/** Long enough for the smallest runner to be seen. */
const SILENT = { kind: 'linger', seconds: 0.5 } as const;

interface Peak {
  readonly megabytes: number;
  readonly seconds: number;
}

/** The most memory of the runner's own process in a run of one iteration. */
function peak(runner: Runner, deed: Deed, limitMs: number): Promise<Peak | Cannot> {
  return withRun(runner, quickest(runner, 1), deed, watched, { output: 'none', limitMs });
}

async function watched({ scratch, launched }: ScratchRun): Promise<Peak | Cannot> {
  let bytes = 0;
  while (launched.exitCode === undefined) {
    bytes = Math.max(bytes, peakMemoryBytes(launched.pid) ?? 0);
    if (bytes > MOST_BYTES) return { cannot: `more than ${Math.floor(MOST_BYTES / MB / 1000)} GB`, isLate: true };
    await pause(10);
  }
  if (scratch.ends().length === 0) return { cannot: `cut the agent off, exits with ${launched.exitCode}` };
  return { megabytes: bytes / MB, seconds: (Date.now() - launched.startedMs) / 1000 };
}

async function cellsOf(runner: Runner, { outputBytes, outputLimitMs }: Effort): Promise<Record<string, Cell>> {
  const silent = await peak(runner, SILENT, outputLimitMs);
  if (isCannot(silent)) return { silent };
  const cells: Record<string, Cell> = { silent: silent.megabytes };
  for (const bytes of outputBytes) {
    const printing = await peak(runner, { kind: 'print', bytes }, outputLimitMs);
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
export async function measureMemory(runners: readonly Runner[], effort: Effort): Promise<Table> {
  const { outputBytes } = effort;
  const rows = [];
  for (const runner of runners) rows.push({ runner: runner.id, cells: await cellsOf(runner, effort) });
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

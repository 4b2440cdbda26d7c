import type { Effort } from '../effort.js';
import type { Deed } from '../fake-agent.js';
import { type Cannot, isCannot, type Runner } from '../runner.js';
import { quickest, withRun } from '../scratch-run.js';
import type { Cell, Table } from '../table.js';

const LIMIT_MS = 90_000;
const FAILING_CAP = 3;

interface Counted {
  readonly agents: number;
  readonly exit: Cell;
}

function counted(runner: Runner, cap: number, deed: Deed): Promise<Counted | Cannot> {
  return withRun(
    runner,
    quickest(runner, cap),
    deed,
    async ({ scratch, launched }) => {
      const exit = await launched.exited;
      return { agents: scratch.starts().length, exit };
    },
    { limitMs: LIMIT_MS },
  );
}

async function cellsOf(runner: Runner, caps: readonly number[]): Promise<Record<string, Cell>> {
  const cells: Record<string, Cell> = {};
  for (const cap of caps) {
    const found = await counted(runner, cap, { kind: 'work' });
    cells[`cap${cap}`] = isCannot(found) ? found : found.agents;
    cells['exit'] = isCannot(found) ? undefined : found.exit;
  }
  const failing = await counted(runner, FAILING_CAP, { kind: 'fail' });
  cells['failing'] = isCannot(failing) ? failing : failing.agents;
  cells['failingExit'] = isCannot(failing) ? undefined : failing.exit;
  return cells;
}

/** Whether the cap on iterations is exact, and what the runner says when it is reached. */
export async function measureMaxIterations(runners: readonly Runner[], { caps }: Effort): Promise<Table> {
  const rows = [];
  for (const runner of runners) rows.push({ runner: runner.id, cells: await cellsOf(runner, caps) });
  return {
    id: 'max-iterations',
    title: 'The cap on iterations',
    about:
      'How many agents were started under each cap, with more to do than that, and the exit code at the cap. ' +
      `The last two: the same with an agent that fails every time, cap ${FAILING_CAP}.`,
    columns: [
      ...caps.map((cap) => ({ id: `cap${cap}`, title: `cap ${cap}`, unit: 'count' }) as const),
      { id: 'exit', title: 'exit code', unit: 'count' },
      { id: 'failing', title: `failing agent, cap ${FAILING_CAP}`, unit: 'count' },
      { id: 'failingExit', title: 'exit code', unit: 'count' },
    ],
    rows,
  };
}

import { spawnSync } from 'node:child_process';
import { median, milliseconds } from '../../measure.js';
import type { Effort } from '../effort.js';
import type { Runner } from '../runner.js';
import { derived, interleaved } from '../samples.js';
import { quickest, until, whyNot, withRun } from '../scratch-run.js';
import type { Table } from '../table.js';

const LIMIT = { limitMs: 30_000 } as const;

/** From the start of the command to the first instruction of its first agent. */
export async function measureStart(runners: readonly Runner[], { rounds }: Effort): Promise<Table> {
  const node: number[] = [];
  const times = await interleaved(runners, rounds, async (runner) => {
    if (runner === runners[0]) node.push(await milliseconds(() => spawnSync(process.execPath, ['-e', '0'])));
    return withRun(
      runner,
      quickest(runner, 1),
      { kind: 'work' },
      async (run) => {
        const isThere = () => run.scratch.starts().length > 0;
        await until(() => isThere() || run.launched.exitCode !== undefined, 2 * LIMIT.limitMs, 5);
        const first = run.scratch.starts()[0];
        return first === undefined ? whyNot(run) : first.atMs - run.launched.startedMs;
      },
      LIMIT,
    );
  });
  const nodeMs = median(node);
  return {
    id: 'start',
    title: 'From the start to the first agent',
    about: `The median of ${rounds} interleaved starts. \`node -e 0\` takes ${nodeMs.toFixed(0)} ms here.`,
    columns: [
      { id: 'startMs', title: 'to the first agent', unit: 'ms' },
      { id: 'ratio', title: 'against `node -e 0`', unit: 'ratio' },
    ],
    rows: runners.map(({ id }) => ({
      runner: id,
      cells: { startMs: times.get(id), ratio: derived((time = 0) => time / nodeMs, times.get(id)) },
    })),
  };
}

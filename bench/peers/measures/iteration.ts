import type { Effort } from '../effort.js';
import type { Runner } from '../runner.js';
import { derived, interleaved, type Samples } from '../samples.js';
import { hasFixedPause, quickest } from '../scratch-run.js';
import type { Row, Table } from '../table.js';
import { periodMs } from './period.js';

const WORK = { kind: 'work' } as const;
const LIMIT = { limitMs: 60_000 } as const;

/** Added time per iteration: from one agent's start to the next, for an agent that takes no time. */
export async function measureIteration(runners: readonly Runner[], effort: Effort): Promise<Table> {
  const { rounds, iterations, paused, measuresDefaultDelay } = effort;
  const free = runners.filter((runner) => !hasFixedPause(runner));
  const effortOf = (runner: Runner) => (free.includes(runner) ? { rounds, iterations } : paused);
  // The first round warms the disk and is not kept.
  for (const runner of free) await periodMs(runner, { iterations: 2, delay: 'none' }, WORK, LIMIT);
  const bare = await interleaved(
    runners,
    (runner) => effortOf(runner).rounds,
    (runner) => periodMs(runner, quickest(runner, effortOf(runner).iterations), WORK, LIMIT),
  );
  const own: Samples = measuresDefaultDelay
    ? await interleaved(free, 1, (runner) => periodMs(runner, { iterations: 3, delay: 'default' }, WORK, LIMIT))
    : new Map();
  return {
    id: 'iteration',
    title: 'Added time per iteration',
    about:
      `From the start of one agent to the start of the next, the runner's own pause set to 0 where it can be; ` +
      `the median of ${rounds} interleaved runs of ${iterations} iterations. The agent takes as long as in the bash loop. ` +
      `"As it comes" is the same with the pause that the runner makes by default.`,
    columns: [
      { id: 'periodMs', title: 'per iteration', unit: 'ms' },
      { id: 'addedMs', title: 'over the bash loop', unit: 'ms' },
      { id: 'ratio', title: 'against bare Node', unit: 'ratio' },
      { id: 'defaultMs', title: 'as it comes', unit: 'ms' },
    ],
    rows: runners.map((runner) => rowOf(runner, bare, own, effort)),
  };
}

function rowOf(runner: Runner, bare: Samples, own: Samples, { paused }: Effort): Row {
  const { id } = runner;
  const isPaused = hasFixedPause(runner);
  return {
    runner: id,
    cells: {
      periodMs: bare.get(id),
      addedMs: derived((period = 0, floor = 0) => period - floor, bare.get(id), bare.get('bash')),
      ratio: derived((period = 0, floor = 0) => period / floor, bare.get(id), bare.get('bare-node')),
      defaultMs: isPaused ? bare.get(id) : own.get(id),
    },
    note: isPaused
      ? `its pause cannot be set to 0 and is in all figures, of ${paused.rounds} runs of ${paused.iterations} iterations`
      : undefined,
  };
}

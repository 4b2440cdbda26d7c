import type { Effort } from '../effort.js';
import type { Runner } from '../runner.js';
import { derived, interleaved, type Samples } from '../samples.js';
import type { Table } from '../table.js';
import { periodMs } from './period.js';

const WORK = { kind: 'work' } as const;

/** Added time per iteration: from one agent's start to the next, for an agent that takes no time. */
export async function measureIteration(runners: readonly Runner[], effort: Effort): Promise<Table> {
  const { rounds, iterations, measuresDefaultDelay } = effort;
  // The first round warms the disk and is not kept.
  for (const runner of runners) await periodMs(runner, { iterations: 2, delay: 'none' }, WORK);
  const bare = await interleaved(runners, rounds, (runner) => periodMs(runner, { iterations, delay: 'none' }, WORK));
  const own: Samples = measuresDefaultDelay
    ? await interleaved(runners, 1, (runner) => periodMs(runner, { iterations: 3, delay: 'default' }, WORK))
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
    rows: runners.map(({ id }) => ({
      runner: id,
      cells: {
        periodMs: bare.get(id),
        addedMs: derived((period = 0, floor = 0) => period - floor, bare.get(id), bare.get('bash')),
        ratio: derived((period = 0, floor = 0) => period / floor, bare.get(id), bare.get('bare-node')),
        defaultMs: own.get(id),
      },
    })),
  };
}

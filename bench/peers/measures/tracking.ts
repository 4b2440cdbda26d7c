import { median, milliseconds } from '../../measure.js';
import type { Effort } from '../effort.js';
import { LargeTree } from '../large-tree.js';
import type { Runner } from '../runner.js';
import { derived, interleaved, type Samples } from '../samples.js';
import { hasFixedPause, quickest, type ScratchOptions } from '../scratch-run.js';
import type { Row, Table } from '../table.js';
import { periodMs } from './period.js';

/** A runner that watches for progress gives up after five iterations without any. */
const ITERATIONS = 5;
const PAUSED_ITERATIONS = 3;
const LIMIT_MS = 90_000;
const LOOK = { kind: 'look' } as const;
const WORK = { kind: 'work' } as const;

/** What knowing whether an iteration changed anything costs on a large tree. */
export async function measureTracking(runners: readonly Runner[], effort: Effort): Promise<Table> {
  const tree = new LargeTree(effort.treeFiles);
  const statuses: number[] = [];
  const period = (runner: Runner, deed: typeof LOOK | typeof WORK, options: ScratchOptions = {}) => {
    const request = quickest(runner, hasFixedPause(runner) ? PAUSED_ITERATIONS : ITERATIONS);
    return periodMs(runner, request, deed, { limitMs: LIMIT_MS, ...options });
  };
  const inTree = async (runner: Runner, deed: typeof LOOK | typeof WORK) => {
    tree.clean();
    statuses.push(await milliseconds(() => tree.git('status')));
    return period(runner, deed, { project: tree.top });
  };
  const rounds = (runner: Runner) => (hasFixedPause(runner) ? 1 : effort.treeRounds);
  try {
    const small = await interleaved(runners, rounds, (runner) => period(runner, LOOK));
    const nothing = await interleaved(runners, rounds, (runner) => inTree(runner, LOOK));
    const one = await interleaved(runners, rounds, (runner) => inTree(runner, WORK));
    return tableOf(runners, effort, { small, nothing, one, statusMs: median(statuses) });
  } finally {
    tree.remove();
  }
}

interface Figures {
  readonly small: Samples;
  readonly nothing: Samples;
  readonly one: Samples;
  readonly statusMs: number;
}

function tableOf(runners: readonly Runner[], effort: Effort, figures: Figures): Table {
  const files = effort.treeFiles.toLocaleString('en-US');
  const { statusMs } = figures;
  return {
    id: 'tracking',
    title: `The cost of ${files} files`,
    about:
      `The same loop in a git tree of ${files} files, against a tree of one file: what a runner adds per iteration to know ` +
      `whether something changed. \`git status\` takes ${statusMs.toFixed(0)} ms on that tree. About 0 means that the runner does not look.`,
    columns: [
      { id: 'smallMs', title: 'one file', unit: 'ms' },
      { id: 'nothingMs', title: 'nothing changed, added', unit: 'ms' },
      { id: 'nothingRatio', title: 'x `git status`', unit: 'ratio' },
      { id: 'oneMs', title: 'one file changed, added', unit: 'ms' },
      { id: 'oneRatio', title: 'x `git status`', unit: 'ratio' },
    ],
    rows: runners.map((runner) => rowOf(runner, figures)),
  };
}

function rowOf(runner: Runner, { small, nothing, one, statusMs }: Figures): Row {
  const { id } = runner;
  const added = (value = 0, floor = 0) => value - floor;
  return {
    runner: id,
    cells: {
      smallMs: small.get(id),
      nothingMs: derived(added, nothing.get(id), small.get(id)) ?? nothing.get(id),
      nothingRatio: derived((value, floor) => added(value, floor) / statusMs, nothing.get(id), small.get(id)),
      oneMs: derived(added, one.get(id), small.get(id)) ?? one.get(id),
      oneRatio: derived((value, floor) => added(value, floor) / statusMs, one.get(id), small.get(id)),
    },
    note: hasFixedPause(runner)
      ? `with its fixed pause, of one run of ${PAUSED_ITERATIONS} iterations; the pause itself is in both trees`
      : undefined,
  };
}

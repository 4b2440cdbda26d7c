import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRecordings } from '../../src/import/find-recordings.js';
import { importRecordings, recordingOf } from '../../src/import/import-recordings.js';
import { readLabels } from '../../src/import/labels.js';
import { listRuns } from '../../src/journal/list-runs.js';
import { readJournal } from '../../src/journal/read-journal.js';
import { importedFolder } from '../../src/journal/run-places.js';
import { endedAsDone } from '../../src/model/history.js';
import { createTrace, labelOf, type TracedRun } from '../../src/tune/trace-run.js';

/** Where several runs are of one task, the part of their names that is the task. */
const TASKS: Readonly<Record<string, RegExp>> = { 'claude-code-2.0.29': /__(.*)$/ };

export interface RealRun extends TracedRun {
  /** The agent left its work as done. */
  readonly isDone: boolean;
}

export interface RealSet {
  readonly name: string;
  readonly files: number;
  readonly runs: readonly RealRun[];
  readonly refused: readonly string[];
}

/** The sets of a folder: each of its folders that has a `labels.csv`. */
export function setsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, 'labels.csv')));
}

/** Imports a set into a folder of its own, which is removed again, and reads every run as `pawl tune` does. */
export async function readSet(folder: string, name: string): Promise<RealSet> {
  const state = mkdtempSync(join(tmpdir(), 'pawl-real-'));
  try {
    const environment = { XDG_STATE_HOME: state };
    const labelsPath = join(folder, name, 'labels.csv');
    const files = findRecordings([join(folder, name)], folder);
    const labels = readLabels(readFileSync(labelsPath, 'utf8'), labelsPath);
    const { refused } = await importRecordings(files, { environment, as: 'calls', labels });
    const runs: RealRun[] = [];
    for (const run of listRuns(importedFolder(environment) ?? state, environment)) {
      const recorded = recordingOf(run.folder)?.name ?? run.runId;
      const trace = createTrace(recorded);
      for await (const event of readJournal(run.journalPath)) trace.see(event);
      const isGoal = labelOf(trace.state);
      const task = TASKS[name]?.exec(recorded)?.[1] ?? recorded;
      if (isGoal !== undefined) runs.push({ ...trace.end({ task, isGoal }), isDone: endedAsDone(trace.state) });
    }
    // An id has a part of chance, and the intervals are drawn in this order.
    runs.sort((a, b) => (a.name < b.name ? -1 : 1));
    return { name, files: labels.size, runs, refused: refused.map(({ path, problem }) => `${path}: ${problem}`) };
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_TO_READ } from '../journal/disk.js';
import type { ListedRun } from '../journal/list-runs.js';
import { recordedTask, runName, taskLine } from '../model/run-name.js';
import type { RunState } from '../model/run-state.js';
import { outputFolder } from '../run/history.js';

const READ_BYTES = 2048;

/** What a run is to do: the first line of its prompt; undefined when it is not known. */
export function taskOf({ folder }: Pick<ListedRun, 'folder'>, state: RunState): string | undefined {
  const given = recordedTask(state);
  if (given !== undefined || state.pipeline !== undefined || state.iterations === 0) return given;
  // A run of an earlier version: what its first iteration was given. The prompt file may have changed since.
  return taskLine(beginningOf(join(folder, outputFolder(1, 1), 'prompt.md')));
}

/** What a run is called. */
export function nameOf(run: Pick<ListedRun, 'folder'>, state: RunState): string {
  return taskOf(run, state) ?? runName(state);
}

function beginningOf(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, OPEN_TO_READ);
    const bytes = Buffer.alloc(READ_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, READ_BYTES, 0));
  } catch {
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_TO_READ } from '../../journal/disk.js';
import type { ListedRun } from '../../journal/list-runs.js';
import type { RunState } from '../../model/run-state.js';
import { outputFolder } from '../../run/output-folder.js';

const LOOKED_AT_BYTES = 2048;
const MOST_CHARACTERS = 200;

/** What a run is to do: the first line of its prompt; undefined when it is not known. */
export function taskOf(
  { folder }: Pick<ListedRun, 'folder'>,
  { spec, iterations, pipeline }: RunState,
): string | undefined {
  const given = firstLine(spec?.prompt ?? '');
  if (given !== undefined || pipeline !== undefined) return given;
  // What its first iteration was given: the file may be another by now.
  return iterations === 0 ? undefined : firstLine(beginningOf(join(folder, outputFolder(1, 1), 'prompt.md')));
}

/** Without the marks of a heading. */
function firstLine(text: string): string | undefined {
  const line = /^[\s#]*(\S.*)$/m.exec(text)?.[1]?.trim();
  return line?.slice(0, MOST_CHARACTERS);
}

function beginningOf(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, OPEN_TO_READ);
    const bytes = Buffer.alloc(LOOKED_AT_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, LOOKED_AT_BYTES, 0));
  } catch {
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

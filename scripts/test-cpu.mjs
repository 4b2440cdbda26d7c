import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { ROOT } from './project.mjs';

/**
 * A setup file of vitest. `PAWL_TEST_CPU=cpu.tsv npm test` adds a line for each test: the CPU seconds that it took with
 * the processes that it started and waited for, its file and its title. A line without a title is what the file itself
 * took, such as its imports. `sort -rn cpu.tsv` shows the dearest first.
 */
const target = process.env.PAWL_TEST_CPU;

beforeAll(countFile);
afterEach(({ task }) => count(task.file.filepath, task.fullTestName));
afterAll(countFile);

function countFile() {
  count(expect.getState().testPath, '');
}

/** Files that share a process follow each other: what was not counted yet is of this test. */
function count(file, title) {
  const seconds = cpuSeconds();
  const spent = seconds - (globalThis.pawlCountedSeconds ?? 0);
  globalThis.pawlCountedSeconds = seconds;
  appendFileSync(target, `${spent.toFixed(2)}\t${relative(ROOT, file)}\t${title.replaceAll(/\s+/g, ' ')}\n`);
}

/** Of this process and of its children that have ended, in the hundredths of a second that Linux counts. */
function cpuSeconds() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

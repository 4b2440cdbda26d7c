import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { latestRun, listRuns, locateRun } from './list-runs.js';
import { createFileJournal } from './open-file-journal.js';

const read = vi.hoisted(() => ({ paths: [] as string[] }));
vi.mock(import('./snapshot.js'), async (original) => {
  const real = await original();
  return {
    ...real,
    readSnapshot: (...[path, disk]: Parameters<typeof real.readSnapshot>) => {
      read.paths.push(path);
      return real.readSnapshot(path, disk);
    },
  };
});

let workingDir: string;
const environment = () => ({ XDG_STATE_HOME: join(workingDir, 'state') });
const ids: string[] = [];

beforeEach(async () => {
  workingDir = mkdtempSync(join(tmpdir(), 'pawl-locate-'));
  ids.length = 0;
  for (let run = 0; run < 8; run++) {
    const journal = createFileJournal({ workingDir, environment: environment() });
    journal.append({ type: 'paused' }, 1);
    await journal.close();
    ids.push(journal.runId);
  }
  read.paths.length = 0;
});
afterEach(() => rmSync(workingDir, { recursive: true }));

it('one run is found, by its id, either end of it or as the latest, without reading the others', () => {
  const [, second = ''] = ids;
  for (const reference of [second, second.slice(0, 20), second.slice(-8).toLowerCase()]) {
    expect(locateRun(workingDir, reference, environment()).runId).toBe(second);
  }
  expect(locateRun(workingDir, undefined, environment()).runId).toBe(ids.at(-1));
  expect(read.paths.filter((path) => !path.includes(second) && !path.includes(ids.at(-1) ?? ''))).toEqual([]);
});

it('the latest run of a kind is found without reading the others', async () => {
  const runId = ids[3]?.replace('loop_', 'pipe_') ?? '';
  await createFileJournal({ workingDir, environment: environment(), runId }).close();
  read.paths.length = 0;
  expect(latestRun(workingDir, environment(), 'pipe_')?.runId).toBe(runId);
  expect(read.paths.filter((path) => !path.includes(runId))).toEqual([]);
});

it('a list reads each run once, and not again under its second name', () => {
  expect(listRuns(workingDir, environment()).map(({ runId }) => runId)).toEqual(ids);
  expect(read.paths).toHaveLength(ids.length);
});

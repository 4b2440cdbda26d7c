import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { seeingPaths } from '../../test/support/node-fs.js';
import { hasRun, latestRun, listRuns, locateRun } from './list-runs.js';
import { createFileJournal } from './open-file-journal.js';
import { SNAPSHOT_NAME } from './run-places.js';

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
});
afterEach(() => rmSync(workingDir, { recursive: true }));

/** The runs whose snapshots were opened meanwhile. */
function readDuring(action: () => void): readonly string[] {
  const paths: string[] = [];
  seeingPaths('openSync', (path) => paths.push(path), action);
  return paths.filter((path) => basename(path) === SNAPSHOT_NAME).map((path) => basename(dirname(path)));
}

it('one run is found, by its id, either end of it or as the latest, without reading the others', () => {
  const [, second = ''] = ids;
  const read = readDuring(() => {
    for (const reference of [second, second.slice(0, 20), second.slice(-8).toLowerCase()]) {
      expect(locateRun(workingDir, reference, environment()).runId).toBe(second);
    }
    expect(locateRun(workingDir, undefined, environment()).runId).toBe(ids.at(-1));
  });
  expect(read).toEqual([second, second, second, ids.at(-1)]);
});

it('an end of four characters names a run, in either case of letters, and less does not', async () => {
  const runId = 'loop_01ARZ3NDEKTSV4RRFFQ69GWXYZ';
  await createFileJournal({ workingDir, environment: environment(), runId }).close();
  expect(locateRun(workingDir, 'wXyZ', environment()).runId).toBe(runId);
  expect(() => locateRun(workingDir, 'xyz', environment())).toThrow('there is no run "xyz"');
  expect(hasRun(workingDir, 'WXYZ', environment())).toBe(true);
  expect(hasRun(workingDir, 'XYZ', environment())).toBe(false);
});

it('the latest run of a kind is found without reading the others', async () => {
  const runId = ids[3]?.replace('loop_', 'pipe_') ?? '';
  await createFileJournal({ workingDir, environment: environment(), runId }).close();
  const read = readDuring(() => expect(latestRun(workingDir, environment(), 'pipe_')?.runId).toBe(runId));
  expect(read).toEqual([runId]);
  expect(latestRun(workingDir, environment(), 'agent_')).toBeUndefined();
});

it('a list reads each run once, and not again under its second name', () => {
  const read = readDuring(() => expect(listRuns(workingDir, environment()).map(({ runId }) => runId)).toEqual(ids));
  expect([...read].sort()).toEqual([...ids].sort());
});

it('a folder has a run that several can be meant by, and none where nothing ran', () => {
  expect(hasRun(workingDir, ids[0]?.slice(0, 7) ?? '', environment())).toBe(true);
  expect(hasRun(workingDir, 'nothing', environment())).toBe(false);
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../model/errors.js';
import { listRuns, locateRun } from './list-runs.js';
import { createFileJournal } from './open-file-journal.js';
import { checkRunId, newRunId } from './run-places.js';

let workingDir: string;
const environment = () => ({ XDG_STATE_HOME: join(workingDir, 'state') });

beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'pawl-list-'));
});
afterEach(() => rmSync(workingDir, { recursive: true }));

async function makeRun(): Promise<string> {
  const journal = createFileJournal({ workingDir, environment: environment() });
  journal.append({ type: 'paused' }, 1);
  await journal.close();
  return journal.runId;
}

const list = () => listRuns(workingDir, environment());
const locate = (reference?: string) => locateRun(workingDir, reference, environment());

describe('the runs of a working directory', () => {
  it('are none where nothing ran', () => {
    expect(list()).toEqual([]);
    expect(() => locate()).toThrow('there is no run in');
  });

  it('are listed oldest first, with how they stand, by their snapshots alone', async () => {
    const ids = [await makeRun(), await makeRun(), await makeRun()];
    rmSync(join(workingDir, '.ralph', 'runs', ids[1] ?? '', 'journal.jsonl'));
    expect(list().map((run) => run.runId)).toEqual(ids);
    expect(list()[1]).toMatchObject({ removed: false, snapshot: { status: 'paused', seq: 1 } });
    expect(locate().runId).toBe(ids[2]);
  });

  it('say who writes them at the moment', async () => {
    const journal = createFileJournal({ workingDir, environment: environment() });
    expect(list()).toMatchObject([{ runId: journal.runId, holder: { pid: process.pid } }]);
    await journal.close();
    expect(list()[0]?.holder).toBeUndefined();
  });

  it('are found by their second names when the first are gone', async () => {
    const runId = await makeRun();
    rmSync(join(workingDir, '.ralph'), { recursive: true });
    expect(list()).toMatchObject([{ runId, removed: true, snapshot: { status: 'paused' } }]);
    expect(locate(runId).journalPath).toContain(join(workingDir, 'state'));
  });

  it('keep their place in time when the first names of an older one are gone', async () => {
    const ids = [await makeRun(), await makeRun(), await makeRun()];
    rmSync(join(workingDir, '.ralph', 'runs', ids[0] ?? ''), { recursive: true });
    expect(list().map((run) => run.runId)).toEqual(ids);
  });

  it('are not said to be none when nobody can tell', () => {
    const runs = join(workingDir, '.ralph', 'runs');
    mkdirSync(join(workingDir, '.ralph'));
    writeFileSync(runs, '');
    expect(() => locate()).toThrow(new RegExp(`${runs} cannot be read: .*file`));
  });

  it('are listed although their snapshot is damaged, and not when there is nothing but a folder', async () => {
    const runId = await makeRun();
    writeFileSync(join(workingDir, '.ralph', 'runs', runId, 'state.json'), 'x');
    mkdirSync(join(workingDir, '.ralph', 'runs', newRunId()));
    mkdirSync(join(workingDir, '.ralph', 'runs', 'notes'));
    symlinkSync('/etc', join(workingDir, '.ralph', 'runs', newRunId()));
    expect(list().map((run) => [run.runId, run.snapshot])).toEqual([[runId, undefined]]);
  });

  it('are found by the beginning of an id that only one has, with or without its first word', async () => {
    const runId = await makeRun();
    expect(locate(runId.slice(0, 12)).runId).toBe(runId);
    expect(locate(runId.slice(5, 15).toLowerCase()).runId).toBe(runId);
    expect(() => locate('nothing')).toThrow(/there is no run "nothing"/);
    expect(() => locate('')).toThrow(ConfigError);
    expect(() => locate('loop_')).toThrow(/^"loop_" .*id\b/);
    const other = await makeRun();
    expect(() => locate(runId.slice(0, 7))).toThrow(`could be ${runId}, ${other}`);
  });

  it('that an id could be are not all named when they are many', async () => {
    const ids: string[] = [];
    // oxlint-disable-next-line no-await-in-loop -- one tree has one run at a time
    for (let count = 0; count < 7; count += 1) ids.push(await makeRun());
    const wanted = `could be ${ids.slice(-5).join(', ')} and 2 more`;
    expect(() => locate(ids[0]?.slice(0, 7))).toThrow(wanted);
  });
});

describe('the id of a run', () => {
  it('sorts by time, also within a millisecond', () => {
    const ids = Array.from({ length: 1000 }, newRunId);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(1000);
  });

  it.each(['', '..', '../x', 'loop_', 'loop_../../etc', `${newRunId()}/..`, `${newRunId()}\n`, '/etc/passwd'])(
    'is not %j',
    (text) => {
      expect(() => checkRunId(text)).toThrow(ConfigError);
      expect(() => checkRunId(text)).toThrow(JSON.stringify(text));
      expect(() => createFileJournal({ workingDir, runId: text, environment: environment() })).toThrow(ConfigError);
    },
  );
});

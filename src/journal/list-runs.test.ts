import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../model/errors.js';
import { deleteRun } from './delete-run.js';
import { idleStamp, listRunIds, listRuns, locateRun } from './list-runs.js';
import { createFileJournal, openFileJournal } from './open-file-journal.js';
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
    expect(listRunIds(workingDir, environment())).toEqual([]);
    expect(() => locate()).toThrow(/^there is no run in/);
  });

  it('are listed oldest first, with how they stand, by their snapshots alone', async () => {
    const ids = [await makeRun(), await makeRun(), await makeRun()];
    rmSync(locate(ids[1]).journalPath);
    expect(list().map((run) => run.runId)).toEqual(ids);
    expect(list()[1]).toMatchObject({ isInProject: false, snapshot: { status: 'paused', seq: 1 } });
    expect(locate().runId).toBe(ids[2]);
  });

  it('say who writes them at the moment', async () => {
    const earlier = await makeRun();
    const journal = createFileJournal({ workingDir, environment: environment() });
    expect(list()).toMatchObject([
      { runId: earlier, holder: undefined },
      { runId: journal.runId, holder: { pid: process.pid } },
    ]);
    await journal.close();
    expect(list()[1]?.holder).toBeUndefined();
  });

  it('are found when their links are gone', async () => {
    const runId = await makeRun();
    rmSync(join(workingDir, '.ralph'), { recursive: true });
    expect(list()).toMatchObject([{ runId, snapshot: { status: 'paused' } }]);
    expect(locate(runId).journalPath).toContain(join(workingDir, 'state'));
  });

  it('are found without their links although their snapshot is damaged', async () => {
    const runId = await makeRun();
    rmSync(join(workingDir, '.ralph'), { recursive: true });
    writeFileSync(join(list()[0]?.folder ?? '', 'state.json'), 'x');
    expect(list()).toMatchObject([{ runId, snapshot: undefined }]);
  });

  it('are found by their links alone, as after an index was lost', async () => {
    const ids = [await makeRun(), await makeRun()];
    rmSync(join(workingDir, 'state', 'pawl', 'index'), { recursive: true });
    expect(list().map((run) => run.runId)).toEqual(ids);
    expect(locate().runId).toBe(ids[1]);
  });

  it('are in the order of their times, of whatever kind they are, and the latest is the last', async () => {
    const times = ['01D', '01B', '01E', '01A', '01C'];
    const kinds = ['loop', 'pipe', 'agent', 'zeta', 'imported'];
    const runIds = times.map((time, index) => `${kinds[index]}_${time}RZ3NDEKTSV4RRFFQ69G5FAV`);
    for (const runId of runIds) await createFileJournal({ workingDir, environment: environment(), runId }).close();
    const sorted = times.toSorted().map((time) => runIds[times.indexOf(time)]);
    expect(listRunIds(workingDir, environment())).toEqual(sorted);
    expect(list().map((run) => run.runId)).toEqual(sorted);
    expect(locate().runId).toBe(runIds[2]);
  });

  it('keep their place in time when the links of an older one are gone', async () => {
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

  it('are all named when an id could be several, although the folder of the links cannot be read', async () => {
    const ids = [await makeRun(), await makeRun()];
    rmSync(join(workingDir, '.ralph', 'runs'), { recursive: true });
    writeFileSync(join(workingDir, '.ralph', 'runs'), '');
    expect(() => locate(ids[0]?.slice(0, 7))).toThrow(`could be ${ids.join(', ')}`);
  });

  it('are listed although their snapshot is damaged, and not when there is nothing but a folder', async () => {
    const runId = await makeRun();
    writeFileSync(join(workingDir, '.ralph', 'runs', runId, 'state.json'), 'x');
    mkdirSync(join(workingDir, '.ralph', 'runs', newRunId()));
    mkdirSync(join(workingDir, '.ralph', 'runs', 'notes'));
    writeFileSync(join(workingDir, '.ralph', 'runs', 'notes', 'journal.jsonl'), '');
    // A link to a folder would let a repository show the run of another folder as one of its own.
    symlinkSync(join(workingDir, '.ralph', 'runs', runId), join(workingDir, '.ralph', 'runs', newRunId()));
    expect(list().map((run) => [run.runId, run.snapshot])).toEqual([[runId, undefined]]);
  });

  it('are found by the beginning of an id that only one has, with or without its first word', async () => {
    const runId = await makeRun();
    expect(locate(runId.slice(0, 12)).runId).toBe(runId);
    expect(locate(runId.slice(5, 15).toLowerCase()).runId).toBe(runId);
    expect(() => locate('nothing')).toThrow(/there is no run "nothing"/);
    expect(() => locate('')).toThrow(ConfigError);
    for (const all of ['loop_', 'loop', 'Lo']) expect(() => locate(all)).toThrow(/is too short to identify a run/);
    const other = await makeRun();
    expect(() => locate(runId.slice(0, 7))).toThrow(new RegExp(`could be ${runId}, ${other}$`));
    await createFileJournal({
      workingDir,
      environment: environment(),
      runId: runId.replace('loop_', 'pipe_'),
    }).close();
    for (const all of ['loop', 'pipe_']) expect(() => locate(all)).toThrow(/is too short to identify a run/);
  });

  it('that an id could be are not all named when they are many', async () => {
    const ids: string[] = [];
    // oxlint-disable-next-line no-await-in-loop -- one tree has one run at a time
    for (let count = 0; count < 7; count += 1) ids.push(await makeRun());
    const wanted = `could be ${ids.slice(-5).join(', ')} and 2 more`;
    expect(() => locate(ids[0]?.slice(0, 7))).toThrow(wanted);
  });
});

describe('the stamp of a folder in which nothing runs', () => {
  const stamp = () => idleStamp(workingDir, environment());
  /** What was read before is of long ago: the clock of a disk is not fine enough to tell two changes at once apart. */
  const age = (...folders: string[]) => {
    for (const folder of folders) utimesSync(join(workingDir, ...folder.split('/')), 1, 1);
    return stamp();
  };

  it('is the same as long as nothing happens', async () => {
    expect(stamp()).toBe(stamp());
    await makeRun();
    expect(stamp()).toEqual(expect.any(String));
    expect(stamp()).toBe(stamp());
  });

  it('changes with the first run and with the next one, so that a page shows them', async () => {
    const none = stamp();
    await makeRun();
    const one = age('.ralph/runs', '.ralph');
    expect(one).not.toBe(none);
    await makeRun();
    expect(stamp()).not.toBe(one);
  });

  it('changes when a run is resumed and ends: its lock comes and goes', async () => {
    const runId = await makeRun();
    const before = age('.ralph/runs', '.ralph');
    await openFileJournal({ workingDir, environment: environment(), runId }).close();
    expect(stamp()).not.toBe(before);
  });

  it('changes when a run is deleted, or its links are', async () => {
    await makeRun();
    const before = age('.ralph/runs', '.ralph');
    deleteRun(locate(), workingDir, environment());
    const after = age('.ralph');
    expect(after).not.toBe(before);
    rmSync(join(workingDir, '.ralph'), { recursive: true });
    expect(stamp()).not.toBe(after);
  });

  it('changes when a run is copied into the folder from elsewhere', async () => {
    await makeRun();
    const before = age('.ralph/runs', '.ralph');
    mkdirSync(join(workingDir, '.ralph', 'runs', newRunId()));
    expect(stamp()).not.toBe(before);
  });

  it('changes when a lock is left in the folder, also by one on another machine', () => {
    mkdirSync(join(workingDir, '.ralph', 'runs'), { recursive: true });
    const before = age('.ralph/runs', '.ralph');
    writeFileSync(join(workingDir, '.ralph', 'lock'), '');
    expect(stamp()).not.toBe(before);
  });

  it('is none while a run is being written: its state changes without any name', async () => {
    const journal = createFileJournal({ workingDir, environment: environment() });
    expect(stamp()).toBeUndefined();
    await journal.close();
    expect(stamp()).toEqual(expect.any(String));
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

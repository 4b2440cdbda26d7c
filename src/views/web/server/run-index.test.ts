import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { leaveRun } from '../../../../test/support/run-left-behind.js';
import { noteProject } from '../../../journal/run-places.js';
import { createFileJournal, openFileJournal } from '../../../journal/open-file-journal.js';
import { RunIndex } from './run-index.js';

let home: string;
let environment: Record<string, string>;
let nowMs = 0;
const clock = () => nowMs;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-index-')));
  environment = { HOME: home, XDG_STATE_HOME: join(home, 'state') };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function project(name: string): string {
  const path = join(home, name);
  mkdirSync(path);
  noteProject(path, environment);
  return path;
}

const surroundings = () => ({ environment, cwd: home, now: Date.now });

/** A list is good for a while. */
function later(index: RunIndex) {
  nowMs += 60_000;
  return index.list();
}

it('the runs of every project are there, live ones first, then the newest', async () => {
  const [a, b] = [project('a'), project('b')];
  const first = leaveRun(a);
  const journal = createFileJournal({ workingDir: a, environment });
  const last = leaveRun(b);
  const here = leaveRun(join(home, 'here'), { isEnded: false });
  const index = new RunIndex(join(home, 'here'), surroundings(), clock);
  const { runs, problems } = await index.list();
  expect(problems).toEqual([]);
  expect(runs.map(({ runId }) => runId)).toEqual([journal.runId, here.runId, last.runId, first.runId]);
  expect(runs.map(({ isLive }) => isLive)).toEqual([true, false, false, false]);
  expect(runs[1]).toMatchObject({ status: 'interrupted', why: expect.stringMatching(/Pawl process is gone/) });
  expect(runs[2]).toMatchObject({ status: 'stopped', class: 'limit', why: '20 of 20 iterations' });
  await journal.close();
});

it('a run is read again only when it has changed', async () => {
  const folder = project('a');
  const [kept, changed] = [leaveRun(folder), leaveRun(folder)];
  const index = new RunIndex(home, surroundings(), clock);
  const rowsOf = (list: Awaited<ReturnType<RunIndex['list']>>) => new Map(list.runs.map((row) => [row.runId, row]));
  const before = rowsOf(await index.list());
  utimesSync(join(changed.folder, 'state.json'), 1, 1);
  const after = rowsOf(await later(index));
  expect(after.get(kept.runId)).toBe(before.get(kept.runId));
  expect(after.get(changed.runId)).not.toBe(before.get(changed.runId));
});

it('runs are not read again while none starts, resumes, ends or is deleted', async () => {
  const folder = project('a');
  const { runId } = leaveRun(folder, { isEnded: false });
  const deleted = leaveRun(folder);
  const index = new RunIndex(home, surroundings(), clock);
  const aSecondLater = () => {
    nowMs += 1000;
    return index.list();
  };
  const idle = await index.list();
  expect(await aSecondLater()).toBe(idle);
  rmSync(deleted.folder, { recursive: true });
  expect((await aSecondLater()).runs.map((row) => row.runId)).toEqual([runId]);
  const journal = openFileJournal({ workingDir: folder, environment, runId });
  expect((await aSecondLater()).runs).toMatchObject([{ runId, isLive: true }]);
  journal.append({ type: 'run-ended', state: 'completed', class: 'goal', reasons: [] }, 101);
  await journal.close();
  const ended = await aSecondLater();
  expect(ended.runs).toMatchObject([{ runId, isLive: false, status: 'completed' }]);
  expect(await aSecondLater()).toBe(ended);
  const other = leaveRun(project('b'));
  expect((await aSecondLater()).runs.map((row) => row.runId)).toEqual([other.runId, runId]);
});

it('a run that is deleted is gone from the list, and cannot be found', async () => {
  const { runId, folder } = leaveRun(project('a'));
  const index = new RunIndex(home, surroundings(), clock);
  expect(await index.find(runId)).toMatchObject({ runId, folder });
  rmSync(folder, { recursive: true });
  expect(await index.find(runId)).toBeUndefined();
  expect((await later(index)).runs).toEqual([]);
});

it('the row of an interrupted run with a large journal comes from its snapshot and what follows it', async () => {
  const folder = project('a');
  const journal = createFileJournal({ workingDir: folder, environment });
  for (let count = 0; count < 2100; count += 1) journal.append({ type: 'agent-said', text: 'x'.repeat(8000) }, count);
  journal.append({ type: 'iteration-started', iteration: 1, try: 1 }, 3000);
  await journal.close();
  const parse = vi.spyOn(JSON, 'parse');
  const { runs } = await new RunIndex(home, surroundings(), clock).list();
  const parsed = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  parse.mockRestore();
  expect(runs).toMatchObject([{ runId: journal.runId, isLive: false, activeMs: 3000 }]);
  expect(parsed).toBeLessThan(1_000_000);
});

it('what is planted in place of state.json holds nobody up', async () => {
  const folder = project('a');
  const [pipe, large, broken] = [leaveRun(folder), leaveRun(folder), leaveRun(folder)];
  rmSync(join(pipe.folder, 'state.json'));
  spawnSync('mkfifo', [join(pipe.folder, 'state.json')]);
  writeFileSync(join(large.folder, 'state.json'), Buffer.alloc(5 * 1024 * 1024, 32));
  writeFileSync(join(broken.folder, 'state.json'), '{"format":3');
  const { runs } = await new RunIndex(home, surroundings(), clock).list();
  expect(runs).toHaveLength(3);
  for (const row of runs) expect(row).toMatchObject({ status: 'stopped', iterations: 2 });
});

it('a record of nothing is said to be damaged', async () => {
  const { folder, journalPath } = leaveRun(project('a'));
  rmSync(join(folder, 'state.json'));
  writeFileSync(journalPath, 'nonsense\n');
  const { runs } = await new RunIndex(home, surroundings(), clock).list();
  expect(runs[0]).toMatchObject({ status: 'damaged', iterations: 0 });
});

it('a project that is gone is not spoken of, and one that cannot be looked at is', async () => {
  rmSync(project('gone'), { recursive: true });
  writeFileSync(join(home, 'file'), '');
  noteProject(join(home, 'file'), environment);
  const loop = join(home, 'loop');
  spawnSync('ln', ['-s', loop, loop]);
  noteProject(loop, environment);
  const { runs, problems } = await new RunIndex(home, surroundings(), clock).list();
  expect(runs).toEqual([]);
  expect(problems).toEqual([expect.stringContaining('loop: ')]);
});

it('runs of the in-process agent and figures for monitoring are there as well', async () => {
  const { runId } = leaveRun(project('a'));
  const index = new RunIndex(home, surroundings(), clock);
  expect(await index.metrics()).toEqual([expect.objectContaining({ runId, isLive: false })]);
});

it('nothing is written to what is looked at', async () => {
  const { folder, journalPath } = leaveRun(project('a'), { isEnded: false });
  const before = readFileSync(journalPath);
  chmodSync(folder, 0o555);
  await new RunIndex(home, surroundings(), clock).list();
  chmodSync(folder, 0o755);
  expect(readFileSync(journalPath)).toEqual(before);
});

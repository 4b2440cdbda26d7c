import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, type TestContext } from 'vitest';
import { realisticEvents } from '../../test/contract/realistic-events.js';
import { aWorker, sharedFleet } from '../../test/support/fleet-database.js';
import { ownPostgres } from '../../test/support/postgres.js';
import { claimedAgain, queuedRun } from '../../test/support/fleet-run.js';
import { listRuns, locateRun } from '../journal/list-runs.js';
import { readJournal } from '../journal/read-journal.js';
import { newRunId } from '../journal/run-places.js';
import type { NewEvent } from '../model/run-event.js';
import type { Database } from './database.js';
import { fetchRecords, keepRecords } from './keep-records.js';
import { makeMirrorFolder, mirrorRecords } from './mirror-records.js';
import { openPostgresJournal } from './postgres-journal.js';

const PLACE = 'postgres://somebody@somewhere/fleet';
const fleet = sharedFleet(ownPostgres());
let home: string;
let folder: string;
let environment: { XDG_STATE_HOME: string };

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-mirror-records-')));
  environment = { XDG_STATE_HOME: join(home, 'state') };
  folder = makeMirrorFolder(PLACE, environment);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const fileOf = (runId: string, name = 'journal.jsonl') => join(folder, '.ralph', 'runs', runId, name);
const mirror = (database: Database, runs?: readonly string[]) =>
  mirrorRecords(database, { folder, place: PLACE, now: Date.now, ...(runs === undefined ? {} : { runs }) });

/** A run that a worker has begun, with as many events. */
async function begunRun(database: Database, events = 4): Promise<string> {
  const runId = newRunId();
  await queuedRun(database, runId);
  await record(database, runId, realisticEvents(events));
  return runId;
}

async function record(database: Database, runId: string, events: readonly NewEvent[]): Promise<void> {
  const journal = await openPostgresJournal(database, await claimedAgain(database, runId));
  for (const event of events) journal.append(event, 1);
  await journal.close();
}

async function recordedText(database: Database, runId: string): Promise<string> {
  const rows = await database.query<{ line: string }>('select line from pawl.events where run = $1 order by seq', [
    runId,
  ]);
  return rows.map(({ line }) => `${line}\n`).join('');
}

async function begun(context: TestContext, events?: number) {
  const { database, postgres } = await fleet(context);
  const runId = await begunRun(database, events);
  return { database, postgres, runId };
}

it('a record becomes the file that a local run would have', async (context) => {
  const { database, runId } = await begun(context, 1200);
  expect(await mirror(database)).toEqual([{ runId, state: 'running', events: 1200 }]);
  expect(readFileSync(fileOf(runId), 'utf8')).toBe(await recordedText(database, runId));
  const events = [];
  for await (const { seq } of readJournal(locateRun(folder, runId, environment).journalPath)) events.push(seq);
  expect(events).toHaveLength(1200);
});

it('what the user may read nobody else may', async (context) => {
  const { database, runId } = await begun(context);
  await mirror(database);
  for (const name of ['journal.jsonl', 'fleet.json']) expect(statSync(fileOf(runId, name)).mode & 0o777).toBe(0o600);
  for (const path of [folder, fileOf(runId, '')]) expect(statSync(path).mode & 0o777).toBe(0o700);
});

it('only what is new is written', async (context) => {
  const { database, runId } = await begun(context);
  await mirror(database);
  const before = lstatSync(fileOf(runId));
  await record(database, runId, realisticEvents(700).slice(4));
  await mirror(database, [runId]);
  expect(readFileSync(fileOf(runId), 'utf8')).toBe(await recordedText(database, runId));
  expect(lstatSync(fileOf(runId)).ino).toBe(before.ino);
});

it('a copy that was cut off in the middle of a line goes on from there', async (context) => {
  const { database, runId } = await begun(context, 9);
  await mirror(database);
  const { ino, size } = lstatSync(fileOf(runId));
  truncateSync(fileOf(runId), size - 30);
  await mirror(database, [runId]);
  expect(readFileSync(fileOf(runId), 'utf8')).toBe(await recordedText(database, runId));
  expect(lstatSync(fileOf(runId)).ino).toBe(ino);
});

it('a copy that does not continue the record is written anew', async (context) => {
  const { database, runId } = await begun(context);
  const changes: readonly ((path: string) => void)[] = [
    (path) => writeFileSync(path, '{"v":1,"seq":2,"type":"other"}\n'),
    (path) => appendFileSync(path, '{"v":1,"seq":99'),
    (path) => appendFileSync(path, '{"v":1,"seq":5,"type":"other"}\n'),
    (path) => writeFileSync(path, 'hello\n'),
    (path) => truncateSync(path, 0),
  ];
  for (const change of changes) {
    await mirror(database);
    change(fileOf(runId));
    await mirror(database);
    expect(readFileSync(fileOf(runId), 'utf8')).toBe(await recordedText(database, runId));
  }
  expect(readdirSync(fileOf(runId, '')).toSorted()).toEqual(['fleet.json', 'journal.jsonl']);
});

it('a link in the way is not followed', async (context) => {
  const { database, runId } = await begun(context);
  const target = join(home, 'target');
  writeFileSync(target, 'mine');
  mkdirSync(fileOf(runId, ''), { recursive: true });
  symlinkSync(target, fileOf(runId));
  symlinkSync(target, fileOf(runId, 'fleet.json'));
  await mirror(database);
  expect(readFileSync(target, 'utf8')).toBe('mine');
  expect(lstatSync(fileOf(runId)).isFile()).toBe(true);
  rmSync(fileOf(runId, ''), { recursive: true });
  symlinkSync(home, fileOf(runId, ''));
  await expect(mirror(database)).rejects.toThrow('symbolic link');
  expect(existsSync(join(home, 'journal.jsonl'))).toBe(false);
});

it('an id that leads out of the folder is not a run', async (context) => {
  const { database, runId } = await begun(context);
  await database.query('alter table pawl.events drop constraint events_run_fkey');
  await database.query(`update pawl.runs set id = '../../../../out' where id = $1`, [runId]);
  expect(await mirror(database)).toEqual([]);
  expect(existsSync(join(folder, '.ralph'))).toBe(false);
  await database.query('delete from pawl.events');
  await database.query('alter table pawl.events add constraint events_run_fkey foreign key (run) references pawl.runs');
});

it('several who copy at once make one record', async (context) => {
  const { database, runId } = await begun(context, 900);
  await mirror(database);
  truncateSync(fileOf(runId), 20_000);
  await Promise.all([1, 2, 3, 4].map(() => mirror(database, [runId])));
  expect(readFileSync(fileOf(runId), 'utf8')).toBe(await recordedText(database, runId));
});

it('a run that the fleet works on is live, and one that has ended is not', async (context) => {
  const { database, runId } = await begun(context);
  const { id } = await aWorker(database, 'worker-1');
  await database.query('update pawl.runs set worker = $1', [id]);
  await mirror(database);
  expect(locateRun(folder, runId, environment).holder).toMatchObject({ runId, host: 'somewhere', pid: 1 });
  await database.query(`update pawl.runs set state = 'waiting'`);
  await mirror(database);
  expect(locateRun(folder, runId, environment).holder).toMatchObject({ runId, host: 'the fleet' });
  await database.query(`update pawl.runs set state = 'ended'`);
  await mirror(database);
  expect(locateRun(folder, runId, environment).holder).toBeUndefined();
});

it('a mark that came with a repository makes no run live', async (context) => {
  const { database, runId } = await begun(context);
  const elsewhere = join(home, 'elsewhere');
  mkdirSync(elsewhere);
  await mirrorRecords(database, { folder: elsewhere, place: PLACE, now: Date.now });
  expect(listRuns(elsewhere, environment)).toMatchObject([{ runId, holder: undefined }]);
});

it('a run is found by the beginning or the end of its id, and nothing else is copied', async (context) => {
  const { database, runId } = await begun(context);
  await begunRun(database);
  const beginning = runId.slice('loop_'.length, -1).toLowerCase();
  expect(await mirror(database, [beginning])).toMatchObject([{ runId }]);
  expect(await mirror(database, [runId])).toMatchObject([{ runId }]);
  expect(await mirror(database, [runId.slice(-6)])).toMatchObject([{ runId }]);
  expect(locateRun(folder, runId.slice(-6).toLowerCase(), environment)).toMatchObject({ runId });
  expect(await mirror(database, ['%', '____', 'loop_0000'])).toEqual([]);
  expect(listRuns(folder, environment)).toHaveLength(1);
});

it('of a run that has ended nothing is read again, unless it is asked for or has gone on', async (context) => {
  const { database, runId } = await begun(context);
  await database.query(`update pawl.runs set state = 'ended'`);
  await mirror(database);
  const whole = await recordedText(database, runId);
  truncateSync(fileOf(runId), 10);
  expect(await mirror(database)).toEqual([{ runId, state: 'ended', events: 4 }]);
  expect(statSync(fileOf(runId)).size).toBe(10);
  await mirror(database, [runId]);
  expect(readFileSync(fileOf(runId), 'utf8')).toBe(whole);
  rmSync(fileOf(runId));
  await mirror(database);
  expect(readFileSync(fileOf(runId), 'utf8')).toBe(whole);
  await record(database, runId, realisticEvents(9).slice(4));
  await database.query(`update pawl.runs set state = 'ended'`);
  await mirror(database);
  expect(readFileSync(fileOf(runId), 'utf8')).toBe(await recordedText(database, runId));
});

it('a run that nobody has begun has no file', async (context) => {
  const { database } = await fleet(context);
  const runId = newRunId();
  await queuedRun(database, runId);
  expect(await mirror(database, [runId])).toEqual([{ runId, state: 'queued', events: 0 }]);
  expect(listRuns(folder, environment)).toEqual([]);
});

it('a database that goes away is told of once, and what was fetched stays; when it is back the copies go on', async (context) => {
  const { database, postgres, runId } = await begun(context);
  const problems: string[] = [];
  const kept = keepRecords(postgres.url, {
    now: Date.now,
    environment,
    runs: [runId],
    pollMs: 20,
    onProblem: (message) => problems.push(message),
  });
  const sizeOf = () => locateRun(kept.folder, runId, environment).journalPath;
  try {
    await expect.poll(() => existsSync(join(kept.folder, '.ralph')), { timeout: 60_000 }).toBe(true);
    await postgres.stop();
    await expect.poll(() => problems.length, { timeout: 60_000 }).toBe(1);
    const stale = await fetchRecords(postgres.url, { environment, now: Date.now }, [runId]);
    expect(stale.unreachable?.message).toContain('not reachable');
    expect(stale.unreachable?.message).not.toContain('the-password');
    await postgres.start();
    await record(database, runId, realisticEvents(40).slice(4));
    const whole = await recordedText(database, runId);
    await expect.poll(() => readFileSync(sizeOf(), 'utf8'), { timeout: 60_000 }).toBe(whole);
    expect(problems).toHaveLength(1);
  } finally {
    await kept.close();
  }
});

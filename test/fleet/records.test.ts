/** Runs of a fleet, looked at by the built command in a folder that knows nothing of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, type TestContext } from 'vitest';
import { shortId } from '../../src/words/short-id.js';
import { openPostgresJournal } from '../../src/fleet/postgres-journal.js';
import { newRunId } from '../../src/journal/run-places.js';
import type { NewEvent } from '../../src/model/run-event.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { DashboardProcess } from '../support/dashboard-process.js';
import { aWorker, type FleetDatabase, sharedFleet } from '../support/fleet-database.js';
import { ownPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/test-postgres.js';
import { claimedAgain, queuedRun } from '../support/fleet-run.js';
import { recordedRun } from '../support/recorded-run.js';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const fleet = sharedFleet(ownPostgres());
let cli: BuiltCli;
let project: CliProject;

beforeAll(() => {
  cli = new BuiltCli('fleet-records');
  // The package that speaks to Postgres is not part of the command.
  symlinkSync(MODULES, join(cli.folder, 'node_modules'));
});
afterAll(() => cli.remove());
beforeEach(() => {
  project = new CliProject(cli);
});

const events = (runId: string): readonly NewEvent[] =>
  recordedRun().map((event) => (event.type === 'run-started' ? { ...event, runId } : event));

async function addEvents(
  { database }: FleetDatabase<TestPostgres>,
  runId: string,
  added: readonly NewEvent[],
): Promise<void> {
  const journal = await openPostgresJournal(database, await claimedAgain(database, runId));
  for (const event of added) journal.append(event, 1);
  await journal.close();
}

async function ofFleet(context: TestContext): Promise<FleetDatabase<TestPostgres>> {
  const found = await fleet(context);
  project.env['PAWL_POSTGRES'] = found.postgres.url;
  return found;
}

async function endedRun(found: FleetDatabase<TestPostgres>): Promise<string> {
  const runId = newRunId();
  await queuedRun(found.database, runId);
  await addEvents(found, runId, events(runId));
  await found.database.query(`update pawl.runs set state = 'ended', ended_at = now(), outcome = $2 where id = $1`, [
    runId,
    JSON.stringify({ status: 'completed', class: 'goal', reasons: ['all tests pass'] }),
  ]);
  return runId;
}

/** In its second iteration, on a worker. */
async function runningRun(found: FleetDatabase<TestPostgres>): Promise<string> {
  const runId = newRunId();
  await queuedRun(found.database, runId);
  const begun = events(runId);
  const second = begun.findIndex((event) => event.type === 'iteration-started' && event.iteration === 2);
  await addEvents(found, runId, begun.slice(0, second + 1));
  const { id } = await aWorker(found.database, 'worker-of-the-test');
  await found.database.query('update pawl.runs set worker = $1 where id = $2', [id, runId]);
  return runId;
}

it('a run of the fleet is shown, explained, replayed, exported and listed like one of the folder', async (context) => {
  const found = await ofFleet(context);
  const runId = await endedRun(found);
  const short = runId.slice('loop_'.length, -2);
  expect(await project.pawl('show', short)).toMatchObject({ status: 0, stdout: expect.stringContaining('completed') });
  expect(await project.pawl('show', runId.slice(-8))).toMatchObject({ status: 0 });
  const difference = await project.pawl('diff', runId);
  expect(difference.status).not.toBe(0);
  expect(difference.stderr).toContain(`on the branch pawl/${runId}`);
  expect(await project.pawl('show', runId, '1')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('numerals'),
  });
  expect(await project.pawl('logs', runId)).toMatchObject({ status: 0, stdout: expect.stringContaining('numerals') });
  expect(await project.pawl('status', runId)).toMatchObject({ status: 0, stdout: expect.stringContaining(runId) });
  const explained = await project.pawl('explain', runId, '--json');
  expect(JSON.parse(explained.stdout)).toMatchObject({ runId, status: 'completed' });
  const replayed = await project.pawl('replay', runId, '--json');
  expect(replayed).toMatchObject({ status: 0, stdout: expect.stringContaining('"end"') });
  const exported = await project.pawl('export', runId, '--format', 'jsonl');
  expect(exported.stdout.trimEnd().split('\n')).toHaveLength(recordedRun().length);
  expect(JSON.parse((await project.pawl('list', '--json')).stdout)).toMatchObject([
    { runId, status: 'completed', live: false },
  ]);
  expect(JSON.parse((await project.pawl('stats', '--json')).stdout)).toMatchObject({ runs: 1 });
  // Nothing of it is in the project.
  expect(readdirSync(project.path)).not.toContain('.ralph');
});

it('where the tree of a run is kept is printed whole on a line of its own', async (context) => {
  const found = await ofFleet(context);
  const runId = await endedRun(found);
  const kept = `build-7:/var/lib/pawl/kept/${'long/'.repeat(40)}tree`;
  await found.database.query(`update pawl.runs set outcome = outcome || $1::jsonb`, [JSON.stringify({ kept })]);
  const lines = async (name: string) => (await project.pawl(name, runId)).stdout.split('\n');
  for (const name of ['show', 'status', 'explain']) {
    expect(
      (await lines(name)).map((line) => line.trim().replace(/^kept +/, '')),
      name,
    ).toContain(kept);
  }
  expect((await lines('show')).join(' ')).toContain(`pawl show ${shortId(runId)}`);
});

it('a run that a worker has is running, and its commands are those of the fleet', async (context) => {
  const runId = await runningRun(await ofFleet(context));
  const status = await project.pawl('status', runId);
  expect(status.stdout).toMatch(/worker-of-the-test \(process 1 on somewhere\).*\nRunning/);
  expect(status.stdout).toContain('pawl fleet cancel');
  const shown = JSON.parse((await project.pawl('status', runId, '--json')).stdout);
  expect(shown).toMatchObject({ status: 'running', live: true, fleet: { state: 'running' } });
  expect(JSON.stringify(shown)).not.toContain('the-password');
  for (const words of [['pause'], ['stop'], ['steer'], ['resume']]) {
    const [name = ''] = words;
    const refused = await project.pawl(name, runId, ...(name === 'steer' ? ['be quick'] : []));
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('pawl fleet cancel') });
  }
});

it('who follows a run of the fleet sees what is recorded meanwhile, and its end', async (context) => {
  const found = await ofFleet(context);
  const runId = await runningRun(found);
  const child = spawn(process.execPath, [cli.bin, 'logs', runId, '--follow'], { cwd: project.path, env: project.env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')));
  const exited = once(child, 'exit');
  await expect.poll(() => out, { timeout: 60_000 }).toContain('numerals');
  expect(out).not.toContain('Subtractive');
  const all = events(runId);
  const second = all.findIndex((event) => event.type === 'iteration-started' && event.iteration === 2);
  await addEvents(found, runId, all.slice(second + 1));
  expect(await exited).toEqual([0, null]);
  expect(out).toContain('Subtractive');
});

it('without a database nothing of the fleet is looked for', async (context) => {
  const runId = await endedRun(await ofFleet(context));
  project.env['PAWL_POSTGRES'] = undefined;
  const missing = await project.pawl('show', runId);
  expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining('there is no run') });
  expect(missing.stderr).not.toContain('the fleet');
  expect(existsSync(join(project.home, 'state', 'pawl', 'fleet-records'))).toBe(false);
});

it('what is in neither place, not begun yet, or behind a database that is away is said in words', async (context) => {
  const found = await ofFleet(context);
  const runId = await endedRun(found);
  const queued = newRunId();
  await queuedRun(found.database, queued);
  expect(await project.pawl('show', queued)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('queued since'),
  });
  const missing = await project.pawl('show', newRunId());
  expect(missing).toMatchObject({ status: 2, stderr: expect.stringMatching(/fleet of postgres:\/\//) });
  expect(missing.stderr).not.toContain('the-password');
  expect((await project.pawl('show', runId)).status).toBe(0);
  project.env['PAWL_POSTGRES'] = 'postgres://nobody:the-password@127.0.0.1:1/none';
  const away = await project.pawl('show', runId);
  expect(away.status).toBe(5);
  expect(away.stderr).toContain('is not reachable');
  expect(away.stderr).not.toContain('the-password');
});

it('what was fetched before is shown while the database is away', async (context) => {
  const found = await ofFleet(context);
  const runId = await endedRun(found);
  expect((await project.pawl('show', runId)).status).toBe(0);
  await found.postgres.stop();
  try {
    const stale = await project.pawl('show', runId);
    expect(stale).toMatchObject({ status: 0, stdout: expect.stringContaining('completed') });
    expect(stale.stderr).toContain('fetched before');
  } finally {
    await found.postgres.start();
  }
});

const asked = async (page: DashboardProcess, path: string) => JSON.parse((await page.ask(path)).body);

it('the dashboard lists runs of the fleet that have not begun, and reads the record of one that is opened', async (context) => {
  const found = await ofFleet(context);
  const ended = await endedRun(found);
  const queued = newRunId();
  await queuedRun(found.database, queued);
  const failed = newRunId();
  await queuedRun(found.database, failed);
  await found.database.query(
    `update pawl.runs set state = 'ended', ended_at = now() - interval '1 day', outcome = $2 where id = $1`,
    [failed, JSON.stringify({ status: 'error', error: 'there is no such branch' })],
  );
  await found.database.query(`update pawl.runs set ended_at = now() - interval '1 day' where id = $1`, [ended]);
  const page = await new DashboardProcess(cli.bin, ['--no-open'], { cwd: project.path, env: project.env }).opened();
  try {
    await expect
      .poll(async () => (await asked(page, '/api/runs')).runs, { timeout: 60_000 })
      .toMatchObject([
        { runId: queued, isLive: true, status: 'queued' },
        { runId: failed, isLive: false, status: 'error', why: 'there is no such branch' },
        { runId: ended, isLive: false, status: 'completed' },
      ]);
    const copies = join(project.home, 'state', 'pawl', 'fleet-records');
    const runs = join(copies, readdirSync(copies)[0] ?? '', '.ralph', 'runs');
    expect(existsSync(join(runs, ended))).toBe(false);
    expect(await asked(page, `/api/runs/${ended}`)).toMatchObject({ runId: ended, status: 'completed' });
    expect(existsSync(join(runs, ended))).toBe(true);
    const unbegun = await page.ask(`/api/runs/${queued}`);
    expect(unbegun).toMatchObject({ status: 404, body: expect.stringContaining('queued since') });
  } finally {
    await page.end();
  }
});

it('the dashboard says that the database is gone, and calls no run of the fleet live meanwhile', async (context) => {
  const found = await ofFleet(context);
  const runId = await runningRun(found);
  const page = await new DashboardProcess(cli.bin, ['--no-open'], { cwd: project.path, env: project.env }).opened();
  const list = () => asked(page, '/api/runs');
  try {
    await expect.poll(list, { timeout: 60_000 }).toMatchObject({ runs: [{ runId, isLive: true }], problems: [] });
    const short = runId.slice('loop_'.length, 'loop_'.length + 10);
    expect((await page.ask('/metrics')).body).toContain(short);
    await found.postgres.stop();
    try {
      await expect.poll(list, { timeout: 60_000 }).toMatchObject({
        runs: [{ runId, isLive: false, status: 'was running' }],
        problems: [expect.stringMatching(/fleet.*as they were/)],
      });
      expect(await asked(page, `/api/runs/${runId}`)).toMatchObject({ isLive: false, status: 'was running' });
      expect((await page.ask('/metrics')).body).not.toContain(short);
    } finally {
      await found.postgres.start();
    }
    await expect.poll(list, { timeout: 60_000 }).toMatchObject({ runs: [{ runId, isLive: true }], problems: [] });
  } finally {
    await page.end();
  }
});

it('the dashboard lists the runs of the fleet, sees them end, and sends no command to them', async (context) => {
  const found = await ofFleet(context);
  const runId = await runningRun(found);
  const page = await new DashboardProcess(cli.bin, ['--no-open'], { cwd: project.path, env: project.env }).opened();
  const rows = async () => (JSON.parse((await page.ask('/api/runs')).body) as { runs: object[] }).runs;
  try {
    await expect.poll(rows, { timeout: 60_000 }).toMatchObject([{ runId, isLive: true, status: 'running' }]);
    expect(JSON.parse((await page.ask(`/api/runs/${runId}`)).body)).toMatchObject({ runId, isLive: true });
    const headers = { 'content-type': 'application/json', origin: `http://${page.host}` };
    const sent = await page.ask(`/api/runs/${runId}/commands`, { method: 'POST', headers, body: '{"type":"pause"}' });
    expect(sent.status).toBeGreaterThanOrEqual(400);
    expect(sent.body).toContain('pawl fleet pause');
    const all = events(runId);
    const second = all.findIndex((event) => event.type === 'iteration-started' && event.iteration === 2);
    await addEvents(found, runId, all.slice(second + 1));
    await found.database.query(`update pawl.runs set state = 'ended', ended_at = now()`);
    await expect.poll(rows, { timeout: 60_000 }).toMatchObject([{ runId, isLive: false, status: 'completed' }]);
  } finally {
    await page.end();
  }
});

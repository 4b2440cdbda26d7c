/** What people see of runs of a fleet that have no record, and of a fleet whose database is away. */
import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it, type TestContext } from 'vitest';
import { shortId } from '../../src/words/short-id.js';
import { resolveConfig } from '../../src/config/resolve-config.js';
import { openPostgresJournal } from '../../src/fleet/postgres-journal.js';
import { newRunId } from '../../src/journal/run-places.js';
import type { NewEvent } from '../../src/model/run-event.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
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
  cli = new BuiltCli('fleet-looks');
  symlinkSync(MODULES, join(cli.folder, 'node_modules'));
});
afterAll(() => cli.remove());
beforeEach(() => {
  project = new CliProject(cli);
});

async function ofFleet(context: TestContext): Promise<FleetDatabase<TestPostgres>> {
  const found = await fleet(context);
  project.env['PAWL_POSTGRES'] = found.postgres.url;
  return found;
}

async function recorded(
  { database }: FleetDatabase<TestPostgres>,
  added: (all: readonly NewEvent[]) => readonly NewEvent[],
) {
  const runId = newRunId();
  await queuedRun(database, runId);
  const events = recordedRun().map((event) => (event.type === 'run-started' ? { ...event, runId } : event));
  const journal = await openPostgresJournal(database, await claimedAgain(database, runId));
  for (const event of added(events)) journal.append(event, 1);
  await journal.close();
  return runId;
}

/** In its second iteration, on a worker. */
async function runningRun(found: FleetDatabase<TestPostgres>): Promise<string> {
  const runId = await recorded(found, (all) => {
    const second = all.findIndex((event) => event.type === 'iteration-started' && event.iteration === 2);
    return all.slice(0, second + 1);
  });
  const { id } = await aWorker(found.database, 'worker-of-the-test');
  await found.database.query('update pawl.runs set worker = $1 where id = $2', [id, runId]);
  return runId;
}

async function endedRun(found: FleetDatabase<TestPostgres>): Promise<string> {
  const runId = await recorded(found, (all) => all);
  await found.database.query(`update pawl.runs set state = 'ended', ended_at = now(), outcome = $2 where id = $1`, [
    runId,
    JSON.stringify({ status: 'completed', class: 'goal', reasons: ['all tests pass'] }),
  ]);
  return runId;
}

const WHY = 'there is no git repository at /nowhere.git, or none that can be seen';

async function failedRun({ database }: FleetDatabase<TestPostgres>): Promise<string> {
  const runId = newRunId();
  await queuedRun(database, runId);
  await database.query(`update pawl.runs set state = 'ended', ended_at = now(), outcome = $2 where id = $1`, [
    runId,
    JSON.stringify({ status: 'error', error: WHY }),
  ]);
  return runId;
}

it('runs that wait for a worker, or failed before they began, are listed and shown with what is known', async (context) => {
  const found = await ofFleet(context);
  const queued = newRunId();
  await queuedRun(found.database, queued);
  await found.database.query(`update pawl.runs set labels = '{gpu}'`);
  const failed = await failedRun(found);
  const running = await runningRun(found);
  const { stdout } = await project.pawl('list');
  expect(stdout).toMatch(/ queued .* no worker with gpu/);
  expect(stdout).toMatch(/ failed .* there is no git repository/);
  expect(stdout).not.toContain('nothing is recorded');
  const rows = JSON.parse((await project.pawl('list', '--json')).stdout) as { runId: string }[];
  expect(rows).toMatchObject([
    { runId: running, status: 'running', live: true },
    { runId: failed, status: 'error', live: false, error: WHY },
    {
      runId: queued,
      status: 'queued',
      live: true,
      fleet: { state: 'queued', labels: ['gpu'], heldUp: 'no worker with gpu' },
    },
  ]);
  expect(rows.some((row) => 'asOf' in row)).toBe(false);
  const shown = await project.pawl('show', failed.slice(-8));
  expect(shown.status).toBe(0);
  expect(shown.stdout.replace(/\s+/g, ' ')).toMatch(new RegExp(`failed at \\d\\d:\\d\\d.*: ${WHY}`));
  expect((await project.pawl('show', queued)).stdout).toMatch(/queued since \d\d:\d\d/);
  expect(JSON.parse((await project.pawl('status', queued, '--json')).stdout)).toMatchObject({
    runId: queued,
    live: true,
  });
  for (const name of ['explain', 'logs', 'replay', 'diff', 'export']) {
    const refused = await project.pawl(name, failed);
    expect(refused, name).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(WHY) });
  }
});

it('while the database is away nothing looks current, and what is not known is told with its exit code', async (context) => {
  const found = await ofFleet(context);
  const ended = await endedRun(found);
  const running = await runningRun(found);
  const queued = newRunId();
  await queuedRun(found.database, queued);
  expect((await project.pawl('list')).status).toBe(0);
  for (const runId of [ended, running]) expect((await project.pawl('show', runId)).status).toBe(0);
  await found.postgres.stop();
  try {
    const list = await project.pawl('list');
    expect(list.status).toBe(5);
    expect(list.stderr).toMatch(/is not reachable: .*; .*fetched.* \d\d:\d\d/);
    expect(list.stdout).toMatch(/ was running /);
    expect(list.stdout).toMatch(/ was queued /);
    expect(list.stdout).toMatch(/ done /);
    const unknown = { status: 'unknown', live: null, asOf: expect.stringMatching(/^20/) };
    expect(JSON.parse((await project.pawl('list', '--json')).stdout)).toMatchObject([
      { runId: queued, ...unknown, lastStatus: 'queued' },
      { runId: running, ...unknown, lastStatus: 'running', unreachable: expect.stringContaining('is not reachable') },
      { runId: ended, status: 'completed', live: false, asOf: expect.stringMatching(/^20/) },
    ]);
    for (const name of ['show', 'status', 'explain']) {
      const said = (await project.pawl(name, running)).stdout.replace(/\s+/g, ' ');
      expect(said, name).toMatch(/ Was running .*at \d\d:\d\d/);
      expect(JSON.parse((await project.pawl(name, running, '--json')).stdout)).toMatchObject(unknown);
    }
    expect((await project.pawl('show', queued)).stdout).toMatch(/was queued since/);
    expect((await project.pawl('show', ended, '--json')).stdout).toContain('"status": "completed"');
    for (const name of ['show', 'explain', 'logs', 'status', 'replay', 'export', 'wait']) {
      const missing = await project.pawl(name, newRunId());
      expect(missing, name).toMatchObject({ status: 5, stderr: expect.stringContaining('is not reachable') });
    }
    // Without a copy nobody can say that there are none.
    const elsewhere = new CliProject(cli);
    elsewhere.env['PAWL_POSTGRES'] = found.postgres.url;
    expect(await elsewhere.pawl('list')).toMatchObject({ status: 5, stdout: '' });
  } finally {
    await found.postgres.start();
  }
});

it('a list of many runs makes no copy of a record and no folder for each, and says that there are more', async (context) => {
  const found = await ofFleet(context);
  const newest = await runningRun(found);
  await found.database.query(
    `insert into pawl.runs (id, repository, base, spec, state, last_seq, outcome, started_at, ended_at)
     select 'loop_01' || lpad(n::text, 24, '0'), '/r', 'main', '{}', 'ended', 7,
       '{"status": "stopped", "class": "limit", "reasons": ["8 of 8 iterations"]}', now(), now()
     from generate_series(1, 1200) n`,
  );
  const list = await project.pawl('list');
  expect(list).toMatchObject({ status: 0, stderr: expect.stringContaining('these are the newest 1,000') });
  expect(list.stdout).toMatch(/0012 +limit reached/);
  expect(list.stdout).toContain('8 of 8 iterations');
  expect(list.stdout).not.toContain(newest.slice(-8));
  expect(JSON.parse((await project.pawl('list', '--json')).stdout)).toHaveLength(1000);
  const copies = join(project.home, 'state', 'pawl', 'fleet-records');
  const [folder = ''] = readdirSync(copies);
  expect(readdirSync(join(copies, folder))).toEqual(['rows.json']);
});

it('the status of a batch counts its runs alone, and what is not known of the cost is not nothing', async (context) => {
  const found = await ofFleet(context);
  const { database } = found;
  const [known, unknown, other] = [await endedRun(found), await endedRun(found), await endedRun(found)];
  await database.query(`insert into pawl.batches (id, max_cost_usd) values ('b', 5)`);
  await database.query(`update pawl.runs set batch = 'b' where id <> $1`, [other]);
  const status = async () => (await project.pawl('fleet', 'status', '--batch', 'b')).stdout;
  await database.query('update pawl.runs set spent_usd = 1.5, spend_unknown = false');
  expect(await status()).toMatch(/batch b: 0 queued, .*2 ended; \$3\.00 of \$5\.00/);
  await database.query('update pawl.runs set spent_usd = 0, spend_unknown = true where id = $1', [unknown]);
  expect(await status()).toContain('≥ $1.50 of $5.00 spent');
  expect(await status()).toMatch(/ unknown /);
  const json = JSON.parse((await project.pawl('fleet', 'status', '--batch', 'b', '--json')).stdout);
  expect(json).toMatchObject({
    counts: { ended: 2 },
    batch: { id: 'b', spentUsd: null, atLeastUsd: 1.5, maxCostUsd: 5 },
    runs: [
      { id: unknown, spentUsd: null, atLeastUsd: 0 },
      { id: known, spentUsd: 1.5 },
    ],
  });
});

it('limits are printed for machines, and what they are of is said to people', async (context) => {
  await ofFleet(context);
  const limit = async (...words: readonly string[]) => (await project.pawl('fleet', 'limit', ...words)).stdout;
  expect(JSON.parse(await limit('--json'))).toEqual([]);
  expect(JSON.parse(await limit('label', 'gpu', '2', '--json'))).toEqual({ kind: 'label', key: 'gpu', most: 2 });
  await limit('label', '*', '1');
  expect(JSON.parse(await limit('--json'))).toEqual([
    { kind: 'label', key: '*', most: 1 },
    { kind: 'label', key: 'gpu', most: 2 },
  ]);
  expect(await limit()).toMatch(/^label +at most 1 run .* +\* .*\n/);
  expect(JSON.parse(await limit('label', 'gpu', '--remove', '--json'))).toMatchObject({ key: 'gpu', most: null });
});

it('the shell is offered runs, batches and labels of the fleet, and nothing when the database is away', async (context) => {
  const found = await ofFleet(context);
  const queued = newRunId();
  await queuedRun(found.database, queued);
  const ended = await endedRun(found);
  await found.database.query(`insert into pawl.batches (id) values ('week-7')`);
  await found.database.query(`update pawl.runs set labels = '{gpu,$(oops)}' where id = $1`, [queued]);
  const offered = async (...words: readonly string[]) => {
    const { status, stdout, stderr } = await project.pawl('__complete', '--', ...words);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout
      .trimEnd()
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t')[0]);
  };
  const [open, over] = [shortId(queued), shortId(ended)];
  expect(await offered('fleet', 'logs', '')).toEqual([over, open]);
  expect(await offered('fleet', 'cancel', '')).toEqual([open]);
  expect(await offered('fleet', 'pause', shortId(queued).slice(0, 6).toLowerCase())).toHaveLength(1);
  expect(await offered('show', '')).toEqual([over, open]);
  expect(await offered('stop', '')).toEqual([]);
  expect(await offered('fleet', 'status', '--batch', '')).toEqual(['week-7']);
  expect(await offered('submit', '--label', '')).toEqual(['gpu']);
  project.env['PAWL_POSTGRES'] = 'postgres://nobody@127.0.0.1:1/none';
  expect(await offered('fleet', 'logs', '')).toEqual([]);
});

it('a run that paused by itself is shown so and goes on when it is told to; one that waits for an answer is not told', async (context) => {
  const found = await ofFleet(context);
  const [paused, asks] = [
    await recorded(found, ([started]) => [started as NewEvent, { type: 'paused', reason: 'the hook "x" failed' }]),
    await recorded(found, ([started]) => [started as NewEvent, { type: 'waiting-started', for: 'approval' }]),
  ];
  // Neither holds a slot.
  await found.database.query(`update pawl.runs set state = 'waiting' where id = any($1)`, [[paused, asks]]);
  const status = (await project.pawl('fleet', 'status')).stdout;
  expect(status).toMatch(/ paused .* the hook "x" failed/);
  expect(status).toMatch(/ waiting .* for your approval/);
  const told = await project.pawl('fleet', 'unpause', paused, asks);
  expect(told.stderr).toMatch(new RegExp(`^pawl: ${asks} .*approval: pawl fleet approve ${shortId(asks)}\\n$`));
  expect(await found.database.query('select run, command from pawl.commands')).toEqual([
    { run: paused, command: { type: 'resume' } },
  ]);
  for (const name of ['stop', 'resume', 'approve']) {
    const refused = await project.pawl(name, asks);
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`pawl fleet reject ${shortId(asks)}`),
    });
  }
  const ending: NewEvent = { type: 'run-ended', state: 'stopped', class: 'operator', reasons: [] };
  const { spec } = resolveConfig({});
  const cancelled = await recorded(found, ([started]) => [{ ...started, spec } as NewEvent, ending]);
  await found.database.query(`update pawl.runs set state = 'ended', outcome = $2 where id = $1`, [
    cancelled,
    JSON.stringify({ status: 'stopped', class: 'operator', reasons: [] }),
  ]);
  expect((await project.pawl('list')).stdout).toMatch(/ stopped .* cancelled$/m);
  const queued = newRunId();
  await queuedRun(found.database, queued);
  expect((await project.pawl('stop', queued)).stderr).toContain(`pawl fleet cancel ${shortId(queued)}`);
  expect((await project.pawl('status', asks)).stdout).toMatch(/next +pawl fleet approve .*\n +pawl fleet reject /);
});

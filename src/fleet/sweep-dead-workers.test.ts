import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type BundledFixture, bundleFixture } from '../../test/crash/bundled-fixture.js';
import { startWriter, type Writer } from '../../test/crash/writer-process.js';
import { aRun, aWorker, sharedFleet } from '../../test/support/fleet-database.js';
import { ownPostgres } from '../../test/support/postgres.js';
import { connectPostgres, type Database } from './connect-postgres.js';
import { claimRun } from './fleet-queue.js';
import { takeLease } from './lease.js';
import { submitRuns } from './submit-runs.js';
import { type Sweep, sweepDeadWorkers } from './sweep-dead-workers.js';

const fleet = sharedFleet(ownPostgres());
const TTL_MS = 2000;
const SOON = { timeout: 60_000, interval: 50 };

let program: BundledFixture;
const started: Writer[] = [];
beforeAll(async () => {
  program = await bundleFixture('fleet-worker');
});
afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  program.remove();
});

async function startWorker(url: string, runs: number): Promise<{ worker: Writer; id: string }> {
  const worker = startWriter([process.execPath, program.path, url, `${TTL_MS}`, `${runs}`]);
  started.push(worker);
  await worker.spoke;
  return { worker, id: worker.lines[0]?.replace('holds ', '') ?? '' };
}

/** Nobody waits in a test for the time that a worker has to come back. */
async function sweepLater(database: Database): Promise<Sweep> {
  await database.query(`update pawl.workers set missing_since = missing_since - interval '4 seconds'`);
  return sweepDeadWorkers(database);
}

/** What the first sweep finds that finds anything. */
async function firstSweep(database: Database): Promise<Sweep> {
  return vi.waitFor(async () => {
    const sweep = await sweepLater(database);
    expect(sweep.workers.length).toBeGreaterThan(0);
    return sweep;
  }, SOON);
}

const NOTHING: Sweep = { workers: [], requeued: [], ended: [] };

it('a worker is dead only when it was missing for three seconds without a break', async (context) => {
  const { database } = await fleet(context);
  const lease = await takeLease(database, { ttlMs: 20_000, slots: 1, labels: [] });
  await aWorker(database, 'gone');
  expect(await sweepDeadWorkers(database)).toEqual(NOTHING);
  expect(await sweepDeadWorkers(database)).toEqual(NOTHING);
  const missing = await database.query('select id from pawl.workers where missing_since is not null');
  expect(missing).toEqual([{ id: 'gone' }]);
  // One that is back begins again, should it be gone again.
  await database.query(`update pawl.workers set missing_since = now() - interval '1 hour', missing_seen_at = now()`);
  expect((await sweepDeadWorkers(database)).workers).toEqual(['gone']);
  expect(await database.query('select missing_since from pawl.workers')).toEqual([{ missing_since: null }]);
  await lease.end();
});

it('right after a restart, when all have lost their connections, it is counted from the beginning', async (context) => {
  const { database, postgres } = await fleet(context);
  await aWorker(database, 'not yet back');
  await sweepDeadWorkers(database);
  await postgres.restart();
  await vi.waitFor(() => database.query('select 1'), SOON);
  expect(await sweepLater(database)).toEqual(NOTHING);
  expect((await sweepLater(database)).workers).toEqual(['not yet back']);
});

it('the same on a standby that took over: it runs for long, and has what was counted before', async (context) => {
  const { database, postgres } = await fleet(context);
  await database.query(`create schema standby; create function standby.pg_postmaster_start_time() returns timestamptz
    language sql as $$ select now() - interval '1 day' $$`);
  const standby = await connectPostgres(`${postgres.url}?options=-c%20search_path%3Dstandby,pg_catalog`, process.env);
  await aWorker(database, 'not yet back');
  await sweepDeadWorkers(standby);
  await database.query(`update pawl.workers set missing_seen_at = now() - interval '11 seconds'`);
  expect(await sweepLater(standby)).toEqual(NOTHING);
  expect((await sweepLater(standby)).workers).toEqual(['not yet back']);
  await standby.close();
});

it('ten workers whose connections are cut twenty times lose nothing', async (context) => {
  const { database, postgres } = await fleet(context);
  const homes = await Promise.all(Array.from({ length: 10 }, () => connectPostgres(postgres.url, process.env)));
  const leases = await Promise.all(homes.map((home) => takeLease(home, { ttlMs: 20_000, slots: 1, labels: [] })));
  const found: string[] = [];
  const over = new AbortController();
  const sweeping = homes.map(async (home) => {
    while (!over.signal.aborted) {
      const swept = await sweepDeadWorkers(home).catch(() => NOTHING);
      found.push(...swept.workers);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
  for (let round = 1; round <= 20; round += 1) {
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null`,
    );
    await Promise.all(leases.map((lease) => lease.prove()));
  }
  over.abort();
  await Promise.all(sweeping);
  expect(found).toEqual([]);
  expect(leases.filter(({ lost }) => lost.aborted)).toEqual([]);
  await Promise.all(leases.map((lease) => lease.end()));
  await Promise.all(homes.map((home) => home.close()));
});

it('the runs of a worker that was killed go back to the queue under an epoch that it never had', async (context) => {
  const { database, postgres } = await fleet(context);
  const runs = [aRun(), aRun(), aRun()];
  await submitRuns(database, runs);
  const { worker, id } = await startWorker(postgres.url, 2);
  worker.child.kill('SIGKILL');
  const sweep = await firstSweep(database);
  expect(sweep.workers).toEqual([id]);
  expect(new Set(sweep.requeued)).toEqual(new Set([runs[0]?.id, runs[1]?.id]));
  expect(await database.query('select state, worker, epoch from pawl.runs order by position')).toEqual([
    { state: 'queued', worker: null, epoch: 2 },
    { state: 'queued', worker: null, epoch: 2 },
    { state: 'queued', worker: null, epoch: 0 },
  ]);
  const next = await claimRun(database, await aWorker(database, 'next'));
  expect(next).toMatchObject({ id: runs[0]?.id, epoch: 3, wasLeft: false });
});

it('a worker that was stopped is found dead, and knows it when it wakes', async (context) => {
  const { database, postgres } = await fleet(context);
  await submitRuns(database, [aRun()]);
  const { worker, id } = await startWorker(postgres.url, 1);
  worker.child.kill('SIGSTOP');
  const sweep = await firstSweep(database);
  expect(sweep.workers).toEqual([id]);
  expect(sweep.requeued).toHaveLength(1);
  worker.child.kill('SIGCONT');
  await vi.waitFor(() => expect(worker.lines).toContain('lost'), SOON);
});

it('a worker that lives keeps its runs, and one that is removed by hand does not', async (context) => {
  const { database } = await fleet(context);
  await submitRuns(database, [aRun()]);
  const lease = await takeLease(database, { ttlMs: 20_000, slots: 1, labels: [] });
  await claimRun(database, { id: lease.workerId, labels: [] });
  await aWorker(database, 'dead');
  expect(await firstSweep(database)).toEqual({ workers: ['dead'], requeued: [], ended: [] });
  await database.query('delete from pawl.workers');
  expect((await sweepDeadWorkers(database)).requeued).toHaveLength(1);
  await expect(lease.prove()).rejects.toThrow(/another worker .*dead/);
  await lease.end();
});

it('a run whose workers die five times before they record anything is ended, and one that gets on is not', async (context) => {
  const { database } = await fleet(context);
  const [fatal, hard] = [aRun(), aRun()];
  await submitRuns(database, [fatal, hard]);
  const sweeps: Sweep[] = [];
  for (let life = 1; life <= 5; life += 1) {
    const worker = await aWorker(database, 'mortal');
    await claimRun(database, worker);
    await claimRun(database, worker);
    await database.query(
      'insert into pawl.events (run, seq, epoch, line) select id, $2::int, epoch, $3 from pawl.runs where id = $1 and $2 = 4',
      [hard.id, life, 'a line'],
    );
    sweeps.push(await firstSweep(database));
  }
  expect(sweeps.map(({ ended }) => ended)).toEqual([[], [], [], [], [fatal.id]]);
  expect(await database.query('select state, crashes, outcome from pawl.runs order by position')).toEqual([
    {
      state: 'ended',
      crashes: 5,
      outcome: { status: 'error', error: expect.stringMatching(/^5 workers .*died/) },
    },
    { state: 'queued', crashes: 1, outcome: null },
  ]);
});

it('a run that its worker ends while it is swept stays ended', async (context) => {
  const { database, postgres } = await fleet(context);
  await submitRuns(database, [aRun()]);
  await claimRun(database, await aWorker(database, 'slow'));
  await sweepDeadWorkers(database);
  await database.query(`update pawl.workers set missing_since = missing_since - interval '4 seconds'`);
  const sweeper = await connectPostgres(postgres.url, process.env);
  let sweeping: Promise<Sweep> | undefined;
  await database.transaction(async (query) => {
    await query(`update pawl.runs set state = 'ended'`);
    sweeping = sweepDeadWorkers(sweeper);
    await vi.waitFor(async () => expect(await database.query(BLOCKED)).toHaveLength(1), SOON);
  });
  expect(await sweeping).toEqual({ workers: ['slow'], requeued: [], ended: [] });
  expect(await database.query('select state from pawl.runs')).toEqual([{ state: 'ended' }]);
  await sweeper.close();
});

const BLOCKED = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%orphan%'`;

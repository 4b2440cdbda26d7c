import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type BundledFixture, bundleFixture } from '../../test/crash/bundled-fixture.js';
import { startWriter, type Writer } from '../../test/crash/writer-process.js';
import { aRun, aWorker, sharedFleet } from '../../test/support/fleet-database.js';
import { ownPostgres } from '../../test/support/postgres.js';
import type { Database } from './database.js';
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

/** What the first sweep finds that finds anything. */
async function firstSweep(database: Database): Promise<Sweep> {
  return vi.waitFor(async () => {
    const sweep = await sweepDeadWorkers(database);
    expect(sweep.workers.length).toBeGreaterThan(0);
    return sweep;
  }, SOON);
}

it('right after the start of the server nobody is found dead: all have lost their connections', async (context) => {
  const { database, postgres } = await fleet(context);
  await postgres.restart();
  await vi.waitFor(() => database.query('select 1'), SOON);
  await aWorker(database, 'not yet back');
  expect(await sweepDeadWorkers(database)).toEqual({ workers: [], requeued: [], ended: [] });
  expect((await firstSweep(database)).workers).toEqual(['not yet back']);
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
  const { database } = await fleet(context);
  await submitRuns(database, [aRun()]);
  await claimRun(database, await aWorker(database, 'slow'));
  await vi.waitFor(async () => expect(await database.query(SETTLED)).toHaveLength(1), SOON);
  let sweeping: Promise<Sweep> | undefined;
  await database.transaction(async (query) => {
    await query(`update pawl.runs set state = 'ended'`);
    sweeping = sweepDeadWorkers(database);
    await vi.waitFor(async () => expect(await database.query(BLOCKED)).toHaveLength(1), SOON);
  });
  expect(await sweeping).toEqual({ workers: ['slow'], requeued: [], ended: [] });
  expect(await database.query('select state from pawl.runs')).toEqual([{ state: 'ended' }]);
});

const SETTLED = `select 1 where clock_timestamp() > pg_postmaster_start_time() + interval '5 seconds'`;
const BLOCKED = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%orphan%'`;

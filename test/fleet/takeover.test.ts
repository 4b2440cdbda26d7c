/** Who may work on a run when workers, connections and databases come and go. */
import { afterEach, expect, it, type TestContext, vi } from 'vitest';
import { connectPostgres } from '../../src/fleet/connect-postgres.js';
import { claimRun, releaseRun } from '../../src/fleet/engine/claim.js';
import type { ClaimedRun } from '../../src/fleet/engine/engine.js';
import { Heartbeat, type HeldRun } from '../../src/fleet/engine/heartbeat.js';
import { PostgresEngine } from '../../src/fleet/engine/postgres-engine.js';
import { type Fleet, openFleet } from '../../src/fleet/open-fleet.js';
import { openPostgresJournal } from '../../src/fleet/postgres-journal.js';
import { prepareFleet } from '../../src/fleet/prepare-fleet.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';
import { DatabaseWire } from '../support/database-wire.js';
import { aRun } from '../support/fleet-database.js';
import { ownPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/test-postgres.js';

const postgres = ownPostgres();
const SOON = { timeout: 60_000, interval: 50 };
const ENDED = { state: 'ended', outcome: { status: 'done' } } as const;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

let databases = 0;

/** A fleet of its own, with the shortest heartbeat that there is. */
async function newFleet(context: TestContext): Promise<{ fleet: Fleet; server: TestPostgres; name: string }> {
  const server = await postgres(context);
  databases += 1;
  const name = `takeover_${databases}`;
  const first = await connectPostgres(server.url, process.env);
  await first.query(`create database ${name}`);
  await first.close();
  const database = await connectPostgres(server.urlOf(name), process.env);
  await prepareFleet(database, { heartbeatSeconds: 10 });
  const fleet = await openFleet(database);
  ends.push(() => fleet.close());
  return { fleet, server, name };
}

async function another(url: string, isWorker = false): Promise<Fleet> {
  const fleet = await openFleet(await connectPostgres(url, process.env, { connections: 4 }), { isWorker });
  ends.push(() => fleet.close());
  return fleet;
}

async function claimed(fleet: Fleet, id = 'a'): Promise<ClaimedRun> {
  const run = await claimRun(fleet, { id, labels: [] });
  if (run === undefined) throw new Error('nothing was handed out');
  return run;
}

/** As if nothing had been heard of any worker for a minute. */
async function silence({ query, jobs }: Fleet): Promise<void> {
  await query(`update pawl_jobs.job set heartbeat_on = heartbeat_on - interval '1 minute' where state = 'active'`);
  await look({ query, jobs });
}

async function look({ query, jobs }: Pick<Fleet, 'query' | 'jobs'>): Promise<void> {
  await query('update pawl_jobs.queue set monitor_on = null, monitor_claim_on = null, maintain_on = null');
  await jobs.supervise();
}

const journalOf = (fleet: Fleet, run: ClaimedRun) =>
  openPostgresJournal(fleet, { runId: run.id, epoch: run.epoch, claim: run.claim });

const recordOf = ({ query }: Fleet) =>
  query<{ seq: number; epoch: number }>('select seq, epoch from pawl.events order by seq');

it('a worker of which nothing was heard loses its run to the next, and can do nothing more to it', async (context) => {
  const { fleet } = await newFleet(context);
  await submitRuns(fleet, [aRun()]);
  const zombie = await claimed(fleet);
  const journal = await journalOf(fleet, zombie);
  await silence(fleet);
  const next = await claimed(fleet, 'b');
  expect(next).toMatchObject({ id: zombie.id, epoch: 2, wasLeft: false, crashes: 1 });
  expect(next.job.id).toBe(zombie.job.id);
  expect(await fleet.jobs.touch(fleet.query, [zombie.job])).toEqual(new Set());
  await fleet.jobs.finish(fleet.query, zombie.job);
  expect(await releaseRun(fleet, zombie, ENDED)).toBe(false);
  expect(await releaseRun(fleet, zombie, { state: 'queued', isBroken: true })).toBe(false);
  journal.append({ type: 'paused', reason: 'late' }, 1);
  await expect(journal.synced()).rejects.toThrow('another worker has taken it over');
  expect(await fleet.jobs.touch(fleet.query, [next.job])).toEqual(new Set([next.job.id]));
  expect(await recordOf(fleet)).toEqual([]);
  expect(await releaseRun(fleet, next, ENDED)).toBe(true);
});

it('a run whose workers die five times before they record anything is ended, and one that gets on is not', async (context) => {
  const { fleet } = await newFleet(context);
  const [fatal, hard] = [aRun(), aRun()];
  await submitRuns(fleet, [fatal, hard]);
  for (let life = 1; life <= 5; life += 1) {
    for (const run of [await claimed(fleet), await claimed(fleet)]) {
      if (run.id !== hard.id || life !== 4) continue;
      const journal = await journalOf(fleet, run);
      journal.append({ type: 'paused', reason: 'it got on' }, 1);
      await journal.close();
    }
    await silence(fleet);
  }
  expect(await claimed(fleet)).toMatchObject({ id: hard.id, crashes: 1 });
  expect(await claimRun(fleet, { id: 'a', labels: [] })).toBeUndefined();
  expect(await fleet.query('select state, crashes, outcome from pawl.runs where id = $1', [fatal.id])).toEqual([
    { state: 'ended', crashes: 5, outcome: { status: 'error', error: expect.stringMatching(/^5 workers .*died/) } },
  ]);
});

async function tenWorkers(url: string): Promise<{ held: HeldRun[]; fleets: Fleet[] }> {
  const fleets = await Promise.all(Array.from({ length: 10 }, () => another(url, true)));
  const held = await Promise.all(
    fleets.map(async (fleet, index) => {
      const heartbeat = new Heartbeat(new PostgresEngine(fleet));
      ends.push(() => heartbeat.end());
      const askedAtMs = performance.now();
      return heartbeat.hold(await claimed(fleet, `w${index}`), askedAtMs);
    }),
  );
  return { held, fleets };
}

const NO_TAKEOVER = Array.from({ length: 10 }, () => ({ epoch: 1, state: 'running', job: 'active', taken: 0 }));

const holders = ({ query }: Fleet) =>
  query(`select epoch, runs.state, job.state::text as job, retry_count as taken
    from pawl.runs join pawl_jobs.job on singleton_key = runs.id order by position`);

it('ten workers whose connections are cut twenty times lose nothing', async (context) => {
  const { fleet, server, name } = await newFleet(context);
  await submitRuns(
    fleet,
    Array.from({ length: 10 }, () => aRun()),
  );
  const { held } = await tenWorkers(server.urlOf(name));
  for (let round = 1; round <= 20; round += 1) {
    await fleet.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = $1`,
      [name],
    );
    await Promise.all(held.map((run) => run.prove()));
  }
  expect(held.filter(({ lost }) => lost.aborted)).toEqual([]);
  expect(await holders(fleet)).toEqual(NO_TAKEOVER);
});

it.for(['SIGINT', 'SIGQUIT'] as const)(
  'a database that goes down by %s and comes back costs no worker its run',
  async (signal, context) => {
    const { fleet, server, name } = await newFleet(context);
    await submitRuns(
      fleet,
      Array.from({ length: 10 }, () => aRun()),
    );
    const { held } = await tenWorkers(server.urlOf(name));
    await server.restart(signal);
    await Promise.all(held.map((run) => run.prove()));
    expect(await vi.waitFor(() => holders(fleet), SOON)).toEqual(NO_TAKEOVER);
  },
);

it('a worker in a black hole has ended its agents before anybody else can begin', async (context) => {
  const { fleet, server, name } = await newFleet(context);
  await submitRuns(fleet, [aRun()]);
  const wire = await DatabaseWire.to(server.port);
  ends.push(() => wire.close());
  const far = await another(server.urlOf(name).replace(`:${server.port}/`, `:${wire.port}/`));
  const heartbeat = new Heartbeat(new PostgresEngine(far));
  ends.push(() => heartbeat.end());
  const askedAtMs = performance.now();
  const held = heartbeat.hold(await claimed(far), askedAtMs);
  await held.prove();
  wire.silence();
  const proof = held.prove().catch((error: unknown) => error);
  await vi.waitFor(() => expect(held.lost.aborted).toBe(true), SOON);
  await look(fleet);
  expect(await claimRun(fleet, { id: 'b', labels: [] })).toBeUndefined();
  expect(String(await proof)).toMatch(/has not heard from this worker/);
  const next = await vi.waitFor(async () => {
    await look(fleet);
    return claimed(fleet, 'b');
  }, SOON);
  expect(next.epoch).toBe(2);
});

it('a standby that is promoted has everything, and the workers go on', async (context) => {
  const { fleet, server, name } = await newFleet(context);
  await submitRuns(fleet, [aRun()]);
  const standby = await server.standby();
  ends.push(() => standby.remove());
  const wire = await DatabaseWire.to(server.port);
  ends.push(() => wire.close());
  const far = await another(server.urlOf(name).replace(`:${server.port}/`, `:${wire.port}/`));
  const heartbeat = new Heartbeat(new PostgresEngine(far));
  ends.push(() => heartbeat.end());
  const askedAtMs = performance.now();
  const run = await claimed(far);
  const held = heartbeat.hold(run, askedAtMs);
  const journal = await journalOf(far, run);
  journal.append({ type: 'paused', reason: 'before' }, 1);
  await journal.synced();
  await vi.waitFor(async () => {
    const [behind] = await fleet.query<{ has: boolean }>(
      `select coalesce(bool_and(replay_lsn >= pg_current_wal_lsn()), false) as has from pg_stat_replication`,
    );
    expect(behind?.has).toBe(true);
  }, SOON);
  await server.stop('SIGQUIT');
  journal.append({ type: 'resumed' }, 2);
  await promote(standby);
  wire.leadTo(standby.port);
  await journal.synced();
  await held.prove();
  expect(held.lost.aborted).toBe(false);
  expect(await recordOf(far)).toEqual([
    { seq: 1, epoch: 1 },
    { seq: 2, epoch: 1 },
  ]);
  await journal.close();
  await server.start();
});

it('a standby that lacks a claim and what was recorded under it makes no gap, and its epochs never go back', async (context) => {
  const { fleet, server, name } = await newFleet(context);
  await submitRuns(fleet, [aRun()]);
  const first = await claimed(fleet, 'a');
  const before = await journalOf(fleet, first);
  before.append({ type: 'paused', reason: 'before' }, 1);
  await before.close();
  const standby = await server.standby();
  ends.push(() => standby.remove());
  await standby.stop();
  // From here on nothing reaches the standby.
  await silence(fleet);
  const lost = await claimed(fleet, 'b');
  expect(lost.epoch).toBe(2);
  const wire = await DatabaseWire.to(server.port);
  ends.push(() => wire.close());
  const far = await another(server.urlOf(name).replace(`:${server.port}/`, `:${wire.port}/`));
  const journal = await journalOf(far, lost);
  journal.append({ type: 'resumed' }, 2);
  await journal.synced();
  await server.stop('SIGQUIT');
  await standby.start();
  await promote(standby);
  wire.leadTo(standby.port);
  await silence(far);
  const next = await claimed(far, 'c');
  // The same epoch and the same attempt as the one that is lost: only the token of the claim tells them apart.
  expect({ epoch: next.epoch, job: next.job }).toEqual({ epoch: lost.epoch, job: lost.job });
  const after = await journalOf(far, next);
  after.append({ type: 'resumed' }, 2);
  await after.synced();
  journal.append({ type: 'paused', reason: 'from the other time' }, 3);
  await expect(journal.synced()).rejects.toThrow('another worker has taken it over');
  expect(await recordOf(far)).toEqual([
    { seq: 1, epoch: 1 },
    { seq: 2, epoch: 2 },
  ]);
  expect(await releaseRun(far, lost, ENDED)).toBe(false);
  await after.close();
  await server.start();
});

async function promote(standby: TestPostgres): Promise<void> {
  const database = await connectPostgres(standby.url, process.env);
  await database.query('select pg_promote()');
  await database.close();
}

it.for([
  ['was deleted', 'delete from pawl_jobs.job'],
  ['was cancelled by somebody', `update pawl_jobs.job set state = 'cancelled', completed_on = now()`],
] as const)('a run whose job %s is lost by its worker, and gets another', async ([, harm], context) => {
  const { fleet } = await newFleet(context);
  await submitRuns(fleet, [aRun()]);
  const run = await claimed(fleet);
  const engine = new PostgresEngine(fleet);
  await fleet.query(harm);
  expect(await engine.touch([run], 5000)).toEqual(new Set());
  expect(await engine.tend()).toEqual([`${run.id} had no job any more: it is queued again`]);
  expect(await fleet.query('select state, worker from pawl.runs')).toEqual([{ state: 'queued', worker: null }]);
  expect(await claimed(fleet)).toMatchObject({ id: run.id, epoch: 2, wasLeft: false });
  expect(await engine.tend()).toEqual([]);
});

it('a run that has waited in the queue for longer than its job is kept gets another', async (context) => {
  const { fleet } = await newFleet(context);
  const run = aRun();
  await submitRuns(fleet, [run]);
  await fleet.query(`update pawl_jobs.job set keep_until = now() - interval '1 second'`);
  await look(fleet);
  const engine = new PostgresEngine(fleet);
  await vi.waitFor(async () => {
    await look(fleet);
    expect(await engine.tend()).toEqual([`${run.id} had no job any more: it is queued again`]);
  }, SOON);
  expect((await claimed(fleet)).id).toBe(run.id);
});

it('a run that was taken over a thousand times is a dead letter for the engine, and still a run', async (context) => {
  const { fleet } = await newFleet(context);
  const run = aRun();
  await submitRuns(fleet, [run]);
  await claimed(fleet);
  await fleet.query('update pawl_jobs.job set retry_count = retry_limit');
  await silence(fleet);
  expect(await fleet.query(`select name, state::text from pawl_jobs.job order by name`)).toEqual([
    { name: 'runs', state: 'failed' },
    { name: 'runs-dead', state: 'created' },
  ]);
  await new PostgresEngine(fleet).tend();
  expect((await claimed(fleet)).id).toBe(run.id);
});

it('workers go on beside the tables of a newer Pawl and a newer pg-boss; one that starts then says what it lacks', async (context) => {
  const { fleet, server, name } = await newFleet(context);
  await submitRuns(fleet, [aRun(), aRun()]);
  const old = await claimed(fleet);
  await fleet.query('update pawl.meta set version = version + 1');
  await fleet.query('alter table pawl.runs add column if not exists from_the_future text');
  await fleet.query('update pawl_jobs.version set version = version + 1');
  expect(await new PostgresEngine(fleet).touch([old], 5000)).toEqual(new Set([old.id]));
  expect(await claimed(fleet, 'new')).toMatchObject({ epoch: 1 });
  expect(await releaseRun(fleet, old, ENDED)).toBe(true);
  await expect(another(server.urlOf(name), true)).rejects.toThrow(/do not fit the pg-boss .*: pawl fleet init/);
  await fleet.query('update pawl_jobs.version set version = version - 1');
  await another(server.urlOf(name), true);
});

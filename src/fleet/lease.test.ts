import { createServer, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { sharedFleet } from '../../test/support/fleet-database.js';
import { ownPostgres } from '../../test/support/postgres.js';
import { ConfigError, messageOf } from '../model/errors.js';
import { connectPostgres } from './connect-postgres.js';
import type { Database } from './database.js';
import { takeLease } from './lease.js';

const fleet = sharedFleet(ownPostgres());
const OPTIONS = { ttlMs: 20_000, slots: 2, labels: ['gpu'] };
const SOON = { timeout: 60_000, interval: 50 };

/** The connections that hold the lock of a worker. */
const holders = (database: Database, worker: string) =>
  database.query<{ pid: number }>(
    `select pg_locks.pid from pg_locks, pawl.workers
     where workers.id = $1 and locktype = 'advisory' and granted
       and (classid::bigint << 32 | objid::bigint) = lock_key`,
    [worker],
  );

it('a lease is a lock that is held, until it is given back with its worker', async (context) => {
  const { database } = await fleet(context);
  const lease = await takeLease(database, OPTIONS);
  await lease.prove();
  expect(await holders(database, lease.workerId)).toHaveLength(1);
  expect(await database.query('select id, pid, slots, labels from pawl.workers')).toEqual([
    { id: lease.workerId, pid: process.pid, slots: 2, labels: ['gpu'] },
  ]);
  await lease.end();
  await lease.end();
  expect(await database.query('select 1 from pawl.workers')).toEqual([]);
  await expect(lease.prove()).rejects.toThrow('the lease was given back');
  expect(lease.lost.aborted).toBe(false);
});

it('a connection that is ended is made again for the same worker when nobody has found it dead', async (context) => {
  const { database } = await fleet(context);
  const lease = await takeLease(database, OPTIONS);
  const [before] = await holders(database, lease.workerId);
  await database.query('select pg_terminate_backend($1)', [before?.pid]);
  await vi.waitFor(async () => {
    const [after] = await holders(database, lease.workerId);
    expect(after).toBeDefined();
    expect(after?.pid).not.toBe(before?.pid);
  }, SOON);
  await lease.prove();
  expect(lease.lost.aborted).toBe(false);
  await lease.end();
});

it('a restart of the database loses no lease', async (context) => {
  const { database, postgres } = await fleet(context);
  const lease = await takeLease(database, OPTIONS);
  await postgres.stop('SIGQUIT');
  const proof = lease.prove();
  await postgres.start();
  await proof;
  expect(await vi.waitFor(() => holders(database, lease.workerId), SOON)).toHaveLength(1);
  await lease.end();
});

it('a worker that was found dead while its connection was gone has lost its lease for good, and the next is another', async (context) => {
  const { database } = await fleet(context);
  const lease = await takeLease(database, OPTIONS);
  const [held] = await holders(database, lease.workerId);
  await database.query(`with dead as (delete from pawl.workers) select pg_terminate_backend($1)`, [held?.pid]);
  await vi.waitFor(() => expect(lease.lost.aborted).toBe(true), SOON);
  await expect(lease.prove()).rejects.toThrow(/another worker .*dead/);
  const next = await lease.retake();
  expect(next.workerId).not.toBe(lease.workerId);
  await next.prove();
  await next.end();
});

it('a worker that is cut off knows it before the server gives its lock away', async (context) => {
  const { database, postgres } = await fleet(context);
  const wire = await cuttableWire(postgres.port);
  const far = await connectPostgres(postgres.url.replace(`:${postgres.port}/`, `:${wire.port}/`), process.env);
  const lease = await takeLease(far, { ...OPTIONS, ttlMs: 16_000 });
  await lease.prove();
  wire.cut();
  const proof = lease.prove().then(() => 'held', messageOf);
  await vi.waitFor(() => expect(lease.lost.aborted).toBe(true), SOON);
  expect(await holders(database, lease.workerId)).toHaveLength(1);
  expect(await proof).toMatch(/database .*this worker/);
  await vi.waitFor(async () => expect(await holders(database, lease.workerId)).toEqual([]), SOON);
  wire.close();
  await lease.end();
  await far.close();
});

it('a time that is no time is refused', async (context) => {
  const { database } = await fleet(context);
  await expect(takeLease(database, { ...OPTIONS, ttlMs: Number.NaN })).rejects.toBeInstanceOf(ConfigError);
});

/** A way to the server that swallows everything once it is cut, without a word to either side. */
async function cuttableWire(to: number) {
  const sockets: Socket[] = [];
  let isCut = false;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(near, far);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => void (isCut || into.write(bytes)));
      from.on('end', () => void (isCut || into.end()));
      from.on('error', () => {});
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    port: address.port,
    cut: () => {
      isCut = true;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

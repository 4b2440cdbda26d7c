import { afterAll, type TestContext } from 'vitest';
import { connectPostgres } from '../../src/fleet/connect-postgres.js';
import type { Database } from '../../src/fleet/database.js';
import { checkNode } from '../../src/fleet/engine/boss.js';
import { type Fleet, openFleet } from '../../src/fleet/open-fleet.js';
import { prepareFleet } from '../../src/fleet/prepare-fleet.js';
import { prepareSchema } from '../../src/fleet/schema.js';
import { newRunId } from '../../src/journal/run-places.js';
import { type FileDatabase, fileDatabase } from './postgres.js';

const HAS_JOBS = isNewEnough();

function isNewEnough(): boolean {
  try {
    checkNode();
    return true;
  } catch {
    return false;
  }
}

export interface FleetDatabase<Server = FileDatabase> {
  /** Without its jobs where Node is too old for pg-boss: tests that need them are in `test/fleet`. */
  readonly database: Fleet;
  readonly postgres: Server;
}

/** The tables of a fleet with nothing in them, in one database for all tests of a file. */
export function sharedFleet(): (context: TestContext) => Promise<FleetDatabase>;
export function sharedFleet<Server extends FileDatabase>(
  postgresFor: (context: TestContext) => Promise<Server>,
): (context: TestContext) => Promise<FleetDatabase<Server>>;
export function sharedFleet(
  postgresFor: (context: TestContext) => Promise<FileDatabase> = fileDatabase(),
): (context: TestContext) => Promise<FleetDatabase> {
  let connected: Promise<Fleet> | undefined;
  afterAll(async () => (await connected)?.close());
  const connect = async (url: string): Promise<Fleet> => {
    const database = await connectPostgres(url, process.env);
    if (HAS_JOBS) {
      await prepareFleet(database);
      return openFleet(database);
    }
    await prepareSchema(database);
    return database as Fleet;
  };
  return async (context) => {
    const postgres = await postgresFor(context);
    connected ??= connect(postgres.url);
    const database = await connected;
    // In one transaction: a journal of the test before may still be writing an event of its run.
    const tables = ['events', 'commands', 'runs', 'batches', 'workers', 'limits', 'schedules'].map(
      (table) => `pawl.${table}`,
    );
    const deletes = tables.map((table) => `delete from ${table};`).join(' ');
    await database.query(`lock table ${tables.join(', ')} in exclusive mode; ${deletes}`);
    if (HAS_JOBS) await database.query('delete from pawl_jobs.job');
    return { database, postgres };
  };
}

/** A run as it is submitted; `changes` are what a test is about. */
export function aRun(changes: { repository?: string; labels?: string[]; keyGroup?: string; spec?: unknown } = {}) {
  return { id: newRunId(), repository: 'https://example.org/a.git', base: 'main', spec: { prompt: 'go' }, ...changes };
}

/** A worker that is registered and that nobody is. */
export async function aWorker(database: Database, id: string, labels: readonly string[] = []) {
  await database.query(
    `insert into pawl.workers (id, host, pid, slots, labels)
     values ($1, 'somewhere', 1, 4, $2) on conflict do nothing`,
    [id, labels],
  );
  return { id, labels };
}

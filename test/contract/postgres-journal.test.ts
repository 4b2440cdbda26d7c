import { randomUUID } from 'node:crypto';
import { afterAll, it } from 'vitest';
import { connectPostgres, type Database } from '../../src/fleet/connect-postgres.js';
import { openPostgresJournal } from '../../src/fleet/postgres-journal.js';
import { prepareSchema } from '../../src/fleet/schema.js';
import { environment, need } from '../environment.js';
import { claimedAgain, queuedRun } from '../support/fleet-run.js';
import { TestPostgres } from '../support/test-postgres.js';
import { journalContract } from './journal.contract.js';

let started: Promise<{ postgres: TestPostgres; database: Database }> | undefined;

async function start(): Promise<{ postgres: TestPostgres; database: Database }> {
  const postgres = await TestPostgres.start();
  const database = await connectPostgres(postgres.url);
  await prepareSchema(database);
  return { postgres, database };
}

afterAll(async () => {
  const { postgres, database } = (await started) ?? {};
  await database?.close();
  await postgres?.remove();
});

if (environment.postgresBin === undefined) {
  it('journal contract: postgres', (context) => {
    need('postgresBin', context);
  });
} else {
  journalContract('postgres', async () => {
    started ??= start();
    const { database } = await started;
    const runId = `run-${randomUUID()}`;
    await queuedRun(database, runId);
    return {
      async open(settings) {
        return openPostgresJournal(database, { ...settings, runId, epoch: await claimedAgain(database, runId) });
      },
      async dispose() {
        await database.query('delete from pawl.events where run = $1', [runId]);
        await database.query('delete from pawl.runs where id = $1', [runId]);
      },
    };
  });
}

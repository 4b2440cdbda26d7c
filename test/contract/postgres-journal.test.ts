import { randomUUID } from 'node:crypto';
import { openPostgresJournal } from '../../src/fleet/postgres-journal.js';
import { sharedFleet } from '../support/fleet-database.js';
import { claimedAgain, queuedRun } from '../support/fleet-run.js';
import { journalContract } from './journal.contract.js';

const fleet = sharedFleet();

journalContract('postgres', async (context) => {
  const { database } = await fleet(context);
  const runId = `run-${randomUUID()}`;
  await queuedRun(database, runId);
  return {
    async open(settings) {
      return openPostgresJournal(database, { ...settings, ...(await claimedAgain(database, runId)) });
    },
    async dispose() {
      await database.query('delete from pawl.events where run = $1', [runId]);
      await database.query('delete from pawl.runs where id = $1', [runId]);
    },
  };
});

import { expect, it } from 'vitest';
import { sharedFleet } from '../support/fleet-database.js';
import { ownPostgres } from '../support/postgres.js';
import { claimedAgain, queuedRun } from '../support/fleet-run.js';
import { recordedRun } from '../support/recorded-run.js';
import { contextOf, recordingTerminal } from '../support/terminal.js';
import type { Database } from '../../src/fleet/database.js';
import { openPostgresJournal } from '../../src/fleet/postgres-journal.js';
import { newRunId } from '../../src/journal/run-places.js';
import type { NewEvent } from '../../src/model/run-event.js';
import { fleetLogsCommand } from '../../src/views/cli/fleet/fleet-logs.js';
import { shortId } from '../../src/words/short-id.js';
import { runProgram } from '../../src/views/cli/program.js';

const fleet = sharedFleet(ownPostgres());
const WAIT = { timeout: 60_000 };

async function record(database: Database, runId: string, events: readonly NewEvent[]): Promise<void> {
  const journal = await openPostgresJournal(database, await claimedAgain(database, runId));
  for (const event of events) journal.append(event, 1);
  await journal.close();
}

function eventsOf(runId: string): readonly NewEvent[] {
  return recordedRun().map((event) => (event.type === 'run-started' ? { ...event, runId } : event));
}

it('who follows sees each event once through two restarts of the database, told once of each', async (context) => {
  const { database, postgres } = await fleet(context);
  const runId = newRunId();
  const events = eventsOf(runId);
  await queuedRun(database, runId);
  await record(database, runId, events.slice(0, 10));
  const terminal = recordingTerminal();
  const seqs = () =>
    terminal
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq);
  const lost = () => terminal.err().match(/is not reachable/g)?.length ?? 0;
  const followed = fleetLogsCommand(runId, { follow: true, json: true, postgres: postgres.url }, contextOf(terminal));
  await expect.poll(() => terminal.out().split('\n').length, WAIT).toBe(11);
  for (const [time, until] of [20, events.length].entries()) {
    // oxlint-disable no-await-in-loop -- one after the other
    await postgres.stop();
    await expect.poll(lost, WAIT).toBe(time + 1);
    await postgres.start();
    await expect.poll(() => terminal.err().match(/database is back/g)?.length, WAIT).toBe(time + 1);
    await record(database, runId, events.slice(time === 0 ? 10 : 20, until));
    await expect.poll(() => terminal.out().trimEnd().split('\n').length, WAIT).toBe(until);
    // oxlint-enable no-await-in-loop
  }
  await database.query(`update pawl.runs set state = 'ended', ended_at = now() where id = $1`, [runId]);
  expect(await followed).toBe(0);
  expect(seqs()).toEqual(events.map((_, index) => index + 1));
  expect(lost()).toBe(2);
  expect(terminal.err()).not.toContain('the-password');
});

it('who does not follow is told that the database is away, and of the exit code that means so', async (context) => {
  const { database, postgres } = await fleet(context);
  const runId = newRunId();
  await queuedRun(database, runId);
  const terminal = recordingTerminal();
  await postgres.stop();
  try {
    expect(await runProgram(['fleet', 'logs', runId, '--postgres', postgres.url], contextOf(terminal))).toBe(5);
    expect(terminal.err()).toMatch(/^pawl: .*database postgres:.* not reachable/);
  } finally {
    await postgres.start();
  }
});

it('the answer that an attended run of the fleet waits for is named with its id', async (context) => {
  const { database, postgres } = await fleet(context);
  const runId = newRunId();
  await queuedRun(database, runId);
  const [started] = eventsOf(runId);
  if (started === undefined) throw new Error('nothing is recorded');
  await record(database, runId, [started, { type: 'waiting-started', for: 'approval' }]);
  const terminal = recordingTerminal(200);
  await fleetLogsCommand(runId, { postgres: postgres.url }, contextOf(terminal));
  const id = shortId(runId);
  expect(terminal.out()).toMatch(new RegExp(`pawl fleet approve ${id}.*pawl fleet reject ${id} TEXT`));
});

it('who follows a run that no worker has begun is told what it waits for', async (context) => {
  const { database, postgres } = await fleet(context);
  const runId = newRunId();
  await queuedRun(database, runId);
  await database.query(`update pawl.runs set labels = '{gpu}'`);
  const terminal = recordingTerminal();
  const followed = fleetLogsCommand(runId, { follow: true, postgres: postgres.url }, contextOf(terminal));
  await expect.poll(terminal.err, WAIT).toMatch(new RegExp(`${runId}.*queued.*gpu\\n$`));
  await database.query(`update pawl.runs set state = 'ended', outcome = '{"status":"error","error":"it is gone"}'`);
  expect(await followed).toBe(0);
  expect(terminal.out()).toBe('failed: it is gone\n');
});

import { expect, it } from 'vitest';
import { aRun, aWorker, sharedFleet } from '../support/fleet-database.js';
import type { LoopCommand } from '../../src/model/loop-command.js';
import { CommandInbox } from '../../src/fleet/command-inbox.js';
import { PostgresEngine } from '../../src/fleet/engine/postgres-engine.js';
import { sendCommand } from '../../src/fleet/commands.js';
import { claimRun } from '../../src/fleet/engine/claim.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';

const fleet = sharedFleet();

async function inbox(database: Awaited<ReturnType<typeof fleet>>['database'], synced: () => Promise<void>) {
  const run = await claimRun(database, await aWorker(database, 'a'));
  if (run === undefined) throw new Error('nothing was handed out');
  const records = new PostgresEngine(database).recordsOf(run);
  const heard: LoopCommand[] = [];
  const warnings: string[] = [];
  const send = async (command: LoopCommand) => {
    heard.push(command);
    if (command.type === 'approve') throw new Error('there is nothing to approve');
    return { effect: 'at once' } as never;
  };
  const onWarning = (message: string) => warnings.push(message);
  return {
    box: new CommandInbox({ runId: run.id, records, handle: { send }, journal: { synced }, onWarning }),
    heard,
    warnings,
  };
}

it('a command is heard once, however many look at the same time', async (context) => {
  const { database } = await fleet(context);
  const run = aRun();
  await submitRuns(database, [run]);
  await sendCommand(database, run.id, { type: 'steer', text: 'first' }, 'ann');
  await sendCommand(database, run.id, { type: 'approve' }, 'ann');
  await sendCommand(database, run.id, { type: 'pause' }, 'ann');
  const { box, heard, warnings } = await inbox(database, async () => undefined);
  await Promise.all([box.look(), box.look(), box.look()]);
  expect(heard.map(({ type }) => type)).toEqual(['steer', 'approve', 'pause']);
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${run.id}: .*approve`))]);
});

it('a command that its worker died with before it was recorded is heard by the next', async (context) => {
  const { database } = await fleet(context);
  const run = aRun();
  await submitRuns(database, [run]);
  await sendCommand(database, run.id, { type: 'steer', text: 'first' }, 'ann');
  const dead = await inbox(database, () => Promise.reject(new Error('the claim is lost')));
  await expect(dead.box.look()).rejects.toThrow('the claim is lost');
  expect(dead.heard).toHaveLength(1);
  await database.query(`update pawl_jobs.job set state = 'retry'`);
  const next = await inbox(database, async () => undefined);
  await next.box.look();
  await next.box.look();
  expect(next.heard).toEqual([{ type: 'steer', text: 'first' }]);
});

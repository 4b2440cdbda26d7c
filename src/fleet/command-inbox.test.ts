import { expect, it } from 'vitest';
import { aRun, aWorker, sharedFleet } from '../../test/support/fleet-database.js';
import type { LoopCommand } from '../model/loop-command.js';
import { CommandInbox } from './command-inbox.js';
import { sendCommand } from './commands.js';
import { claimRun } from './fleet-queue.js';
import { submitRuns } from './submit-runs.js';

const fleet = sharedFleet();

async function inbox(database: Awaited<ReturnType<typeof fleet>>['database'], synced: () => Promise<void>) {
  const run = await claimRun(database, await aWorker(database, 'a'));
  if (run === undefined) throw new Error('nothing was handed out');
  const heard: LoopCommand[] = [];
  const warnings: string[] = [];
  const send = async (command: LoopCommand) => {
    heard.push(command);
    if (command.type === 'approve') throw new Error('there is nothing to approve');
    return { effect: 'at once' } as never;
  };
  const onWarning = (message: string) => warnings.push(message);
  return {
    box: new CommandInbox({ database, run, handle: { send }, journal: { synced }, onWarning }),
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
  const dead = await inbox(database, () => Promise.reject(new Error('the lease is lost')));
  await expect(dead.box.look()).rejects.toThrow('the lease is lost');
  expect(dead.heard).toHaveLength(1);
  await database.query(`update pawl.runs set state = 'queued' where id = $1`, [run.id]);
  const next = await inbox(database, async () => undefined);
  await next.box.look();
  await next.box.look();
  expect(next.heard).toEqual([{ type: 'steer', text: 'first' }]);
});

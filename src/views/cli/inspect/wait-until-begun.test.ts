import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, type TestContext, vi } from 'vitest';
import { type FleetDatabase, sharedFleet } from '../../../../test/support/fleet-database.js';
import { claimedAgain, queuedRun } from '../../../../test/support/fleet-run.js';
import { recordedRun } from '../../../../test/support/recorded-run.js';
import { contextOf, recordingTerminal } from '../../../../test/support/terminal.js';
import { openPostgresJournal } from '../../../fleet/postgres-journal.js';
import { newRunId } from '../../../journal/run-places.js';
import { runProgram } from '../program.js';

const fleet = sharedFleet();
let home: string;
let here: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-wait-until-begun-')));
  here = join(home, 'here');
  mkdirSync(here);
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

async function submitted(context: TestContext): Promise<FleetDatabase & { readonly runId: string }> {
  const found = await fleet(context);
  vi.stubEnv('PAWL_POSTGRES', found.postgres.url);
  const runId = newRunId();
  await queuedRun(found.database, runId);
  return { ...found, runId };
}

function follow(name: 'wait' | 'watch', runId: string, ...words: readonly string[]) {
  const terminal = recordingTerminal();
  return { terminal, ended: runProgram([name, runId, '--cwd', here, ...words], contextOf(terminal)) };
}

const end = ({ database }: FleetDatabase, outcome: object) =>
  database.query(`update pawl.runs set state = 'ended', ended_at = now(), outcome = $1`, [JSON.stringify(outcome)]);

const WAYS = [
  ['wait', []],
  ['watch', ['--quiet']],
] as const;

for (const [name, words] of WAYS) {
  it(`${name} of a run that is queued, then cloned, goes on until it has ended`, async (context) => {
    const found = await submitted(context);
    const { database, runId } = found;
    const { terminal, ended } = follow(name, runId.slice(-8), ...words);
    await expect.poll(() => terminal.err(), { timeout: 60_000 }).toContain('queued since');
    const journal = await openPostgresJournal(database, await claimedAgain(database, runId));
    for (const event of recordedRun()) journal.append(event.type === 'run-started' ? { ...event, runId } : event, 1);
    await journal.close();
    await end(found, { status: 'completed', class: 'goal' });
    expect(await ended).toBe(0);
    expect(terminal.out()).toContain('Done');
  });

  it(`${name} of a run that never begins ends as that run does`, async (context) => {
    const found = await submitted(context);
    const broken = follow(name, found.runId, ...words);
    await expect.poll(() => broken.terminal.err(), { timeout: 60_000 }).toContain('has not started yet');
    await end(found, { status: 'error', error: 'there is no git repository at /nowhere.git' });
    expect(await broken.ended).toBe(1);
    expect(broken.terminal.out().replace(/\s+/g, ' ')).toContain('there is no git repository at /nowhere.git');
    await end(found, { status: 'stopped', class: 'operator' });
    const cancelled = follow(name, found.runId, ...words);
    expect(await cancelled.ended).toBe(130);
    expect(cancelled.terminal.out()).toContain('cancelled');
  });
}

it('for machines the end of a run that never began is that of any other', async (context) => {
  const found = await submitted(context);
  await end(found, { status: 'error', error: 'no such branch' });
  const { terminal, ended } = follow('wait', found.runId, '--json');
  expect(await ended).toBe(1);
  const told = { runId: found.runId, status: 'error', reasons: [], error: 'no such branch', exitCode: 1 };
  expect(JSON.parse(terminal.out())).toEqual(told);
});

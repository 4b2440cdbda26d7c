import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { started } from '../../../../test/support/record.js';
import { ENDED } from '../../../../test/support/run-left-behind.js';
import { createFileJournal, openFileJournal } from '../../../journal/open-file-journal.js';
import type { NewEvent } from '../../../model/run-event.js';
import { RunIndex } from './run-index.js';
import { RunViews } from './run-views.js';

let home: string;
let workingDir: string;
let environment: Record<string, string>;
let views: RunViews;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-views-')));
  workingDir = join(home, 'project');
  mkdirSync(workingDir);
  environment = { HOME: home, XDG_STATE_HOME: join(home, 'state') };
  views = new RunViews(environment);
});
afterEach(async () => {
  await views.close();
  rmSync(home, { recursive: true, force: true });
});

/** A run that has ended, and whose links somebody has deleted. */
async function deletedRun(ended: NewEvent): Promise<string> {
  const journal = createFileJournal({ workingDir, environment });
  journal.append(started(), 0);
  journal.append(ended, 1);
  await journal.close();
  rmSync(join(workingDir, '.ralph'), { recursive: true });
  return journal.runId;
}

let nowMs = 0;

async function problemOf(index: RunIndex, runId: string): Promise<string | undefined> {
  nowMs += 60_000;
  const run = await index.find(runId);
  if (run === undefined) throw new Error('no such run');
  return (await views.viewed(run)).problem;
}

it('a run whose links were deleted is shown as before: its record is elsewhere', async () => {
  const runId = await deletedRun(ENDED);
  const index = new RunIndex(workingDir, { environment, cwd: workingDir, now: Date.now }, () => nowMs);
  expect(await problemOf(index, runId)).toBeUndefined();
  await openFileJournal({ workingDir, environment, runId }).close();
  expect(await problemOf(index, runId)).toBeUndefined();
});

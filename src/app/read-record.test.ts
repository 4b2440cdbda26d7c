import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { begin, end, started } from '../../test/support/record.js';
import { contextOf, recordingTerminal } from '../../test/support/terminal.js';
import { locateRun } from '../journal/list-runs.js';
import { createFileJournal } from '../journal/open-file-journal.js';
import { encodeRecord } from '../journal/record-scanner.js';
import type { EventBodies, NewEvent } from '../model/run-event.js';
import { runProgram } from '../views/cli/program.js';
import { readLatest, readRecord } from './read-record.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A run whose journal is larger than is read for a status. */
async function largeRun(events: readonly NewEvent[] = [], more: Partial<EventBodies['run-started']> = {}) {
  const workingDir = mkdtempSync(join(tmpdir(), 'pawl-large-'));
  folders.push(workingDir);
  const environment = { XDG_STATE_HOME: join(workingDir, 'state') };
  const journal = createFileJournal({ workingDir, environment });
  journal.append(started({}, { runId: journal.runId, ...more }), 1);
  for (let part = 0; part < 20; part++) journal.append({ type: 'agent-said', text: 'x'.repeat(1_000_000) }, 1);
  for (const event of events) journal.append(event, 1);
  journal.append({ type: 'paused' }, 1);
  await journal.close();
  return () => locateRun(workingDir, journal.runId, environment);
}

it('the status of a run with a large journal comes from its snapshot and what follows it', async () => {
  const located = await largeRun();
  const { journalPath, snapshot } = located();
  const line = encodeRecord(
    { type: 'resumed' },
    { seq: (snapshot?.seq ?? 0) + 1, at: '2026-03-01T00:00:00.000Z', activeMs: 2 },
  );
  appendFileSync(journalPath, line.line);
  // Who reads the beginning finds it damaged.
  const bytes = readFileSync(journalPath);
  bytes.fill(0x21, 100, 1000);
  writeFileSync(journalPath, bytes);
  expect(await readLatest(located())).toMatchObject({
    isDamaged: false,
    state: { phase: { name: 'resting' }, activeMs: 2 },
  });
});

it('a snapshot that is not of this journal is not used', async () => {
  const located = await largeRun();
  const { journalPath, snapshot } = located();
  const bytes = readFileSync(journalPath);
  bytes.fill(0x21, (snapshot?.offset ?? 0) - 20, (snapshot?.offset ?? 0) - 2);
  writeFileSync(journalPath, bytes);
  expect((await readLatest(located())).problem).toMatch(/torn|damaged/);
});

it('the status of a large pipeline takes its state from the snapshot, and its items are those of the whole journal', async () => {
  const attempt = (index: number) => ({ item: `i${index}`, index, attempt: 1 });
  const failed = { outcome: 'rejected', reasons: ['DARK'], agentStarted: true, durationMs: 1 } as const;
  const located = await largeRun(
    [
      { type: 'attempt-started', ...attempt(0) },
      { type: 'attempt-started', ...attempt(1) },
      { type: 'attempt-ended', ...attempt(0), ...failed },
      { type: 'item-ended', item: 'i0', index: 0, status: 'rejected', attempts: 1 },
    ],
    { kind: 'pipeline', items: 2 },
  );
  const run = located();
  const latest = await readLatest(run);
  const { state, items } = await readRecord(run);
  expect(latest).toEqual({ state, items, isDamaged: false });
  expect(latest.items).toMatchObject({
    open: [{ item: 'i1' }],
    failures: [{ item: 'i0', last: { reasons: ['DARK'] } }],
  });
  // The very object: nothing was folded again.
  expect(latest.state).toBe(run.snapshot?.state);
});

it('an event in a phase in which it cannot happen is a problem of the record, and the rest is read', async () => {
  const workingDir = mkdtempSync(join(tmpdir(), 'pawl-fault-'));
  folders.push(workingDir);
  const environment = { XDG_STATE_HOME: join(workingDir, 'state') };
  const journal = createFileJournal({ workingDir, environment });
  for (const event of [started({}, { runId: journal.runId }), begin(1), end(1), end(1), begin(2)])
    journal.append(event, 1);
  await journal.close();
  const run = locateRun(workingDir, journal.runId, environment);
  const problem = 'the record has events that cannot have happened: iteration-ended while resting (event 4)';
  expect(await readRecord(run)).toMatchObject({ problem, isDamaged: false, state: { seq: 5 } });
  for (const command of ['status', 'show', 'explain']) {
    const terminal = recordingTerminal(100);
    const exitCode = await runProgram([command, '--cwd', workingDir], contextOf(terminal));
    expect({ command, exitCode, err: terminal.err() }).toMatchObject({
      exitCode: 0,
      err: expect.stringContaining(problem),
    });
  }
});

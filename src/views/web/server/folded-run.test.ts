import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { ENDED, recordLine, leaveRun } from '../../../../test/support/run-left-behind.js';
import { ViewFold } from '../wire/run-view.js';
import { FoldedRun } from './folded-run.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-folded-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function folded(path: string): FoldedRun {
  const run = new FoldedRun(path);
  onTestFinished(() => run.close());
  return run;
}

it('what follows is folded in, and the fold is that of the whole record', async () => {
  const { journalPath, events } = leaveRun(folder, { count: 3000, isEnded: false });
  const run = folded(journalPath);
  await Promise.all([run.catchUp(), run.catchUp()]);
  const whole = new ViewFold();
  for (const event of events) whole.add(event);
  expect(run.view).toEqual(whole.view);
  appendFileSync(journalPath, recordLine(ENDED, 3001));
  await run.catchUp();
  expect(run.view.state).toMatchObject({ seq: 3001, status: 'stopped' });
  expect(await run.problem(false)).toBeUndefined();
});

it('events are read from any place, from near it', async () => {
  const { journalPath } = leaveRun(folder, { count: 5000 });
  const run = folded(journalPath);
  await run.catchUp();
  expect(run.placeBefore(4000).seq).toBeGreaterThan(1000);
  for (const after of [0, 1, 2499, 5000]) {
    let next = after + 1;
    for await (const { seq } of run.eventsAfter(after)) expect(seq).toBe(next++);
    expect(next).toBe(5002);
  }
});

it('a record that is damaged is shown up to there, with what is wrong', async () => {
  const { journalPath } = leaveRun(folder, { count: 30 });
  const lines = readFileSync(journalPath, 'utf8').split('\n');
  writeFileSync(journalPath, [...lines.slice(0, 12), '{"v":1, garbage', ...lines.slice(13)].join('\n'));
  const run = folded(journalPath);
  await run.catchUp();
  await run.catchUp();
  expect(run.view.state.seq).toBe(12);
  expect(await run.problem(false)).toMatch(/journal\.jsonl:13/);
});

it('a torn end is a problem when nobody writes, and none while somebody does', async () => {
  const { journalPath } = leaveRun(folder, { count: 10 });
  appendFileSync(journalPath, '{"v":1,"seq":12,"at');
  const run = folded(journalPath);
  await run.catchUp();
  expect(await run.problem(true)).toBeUndefined();
  expect(await run.problem(false)).toMatch(/cut off/);
});

it('a record that was cut is folded anew', async () => {
  const { journalPath } = leaveRun(folder, { count: 30 });
  const run = folded(journalPath);
  await run.catchUp();
  const [first = ''] = readFileSync(journalPath, 'utf8').split('\n');
  truncateSync(journalPath, Buffer.byteLength(first) + 1);
  await run.catchUp();
  expect(run.view.state.seq).toBe(1);
});

it('a record that is gone leaves what was seen of it', async () => {
  const { journalPath } = leaveRun(folder, { count: 10 });
  const run = folded(journalPath);
  await run.catchUp();
  rmSync(journalPath);
  await run.catchUp();
  expect(run.view.state.seq).toBe(11);
});

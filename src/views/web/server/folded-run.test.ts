import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { ENDED, recordLine, leaveRun } from '../../../../test/support/run-left-behind.js';
import type { NewEvent, RunEvent } from '../../../model/run-event.js';
import { type RunView, ViewFold } from '../wire/run-view.js';
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
  expect(run.view.state).toMatchObject({ seq: 3001, phase: { state: 'stopped' } });
  expect(await run.problem(false)).toBeUndefined();
});

/** A journal of 20 MB, and the view of all of it. */
function leaveLargeJournal(): { readonly journalPath: string; readonly view: RunView } {
  const { journalPath, events } = leaveRun(folder, { count: 1000, isEnded: false });
  const fold = new ViewFold();
  for (const event of events) fold.add(event);
  const output = '"quoted", '.repeat(300);
  const more: NewEvent[] = Array.from({ length: 5000 }, (_, index) =>
    index % 300 === 0
      ? { type: 'permission-denied', tool: 'Bash' }
      : { type: 'tool-answered', id: `t${index}`, output, ...(index % 300 < 9 ? { denied: true } : {}) },
  );
  more.push({ type: 'permission-denied', tool: 'Bash' }, { type: 'agent-said', text: 'a', matches: { '/a/': 'a' } });
  const lines = [...more, ENDED].map((event, index) => recordLine(event, 1001 + index));
  for (const line of lines) {
    const { sum: _sum, ...event } = JSON.parse(line.toString()) as RunEvent & { readonly sum: string };
    fold.add(event);
  }
  appendFileSync(journalPath, Buffer.concat(lines));
  return { journalPath, view: fold.view };
}

it('of a large journal only the records are parsed that the page shows or the state needs', async () => {
  const { journalPath, view } = leaveLargeJournal();
  const run = folded(journalPath);
  const parse = vi.spyOn(JSON, 'parse');
  await run.catchUp();
  const parsed = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  parse.mockRestore();
  expect(run.view).toEqual(view);
  expect(parsed).toBeLessThan(2_500_000);
});

it('a large journal that is damaged is shown in full up to there', async () => {
  const { journalPath } = leaveLargeJournal();
  const lines = readFileSync(journalPath, 'utf8').split('\n');
  writeFileSync(journalPath, [...lines.slice(0, 2500), '{"v":1, garbage', ...lines.slice(2501)].join('\n'));
  const run = folded(journalPath);
  await run.catchUp();
  expect(run.view.state.seq).toBe(2500);
  expect(run.view.spoken.at(-1)).toMatchObject({ seq: 2500, output: expect.stringContaining('quoted') });
  expect(await run.problem(false)).toMatch(/journal\.jsonl:2501/);
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

it('events before damage are read, however close to it they are', async () => {
  const { journalPath } = leaveRun(folder, { count: 30 });
  const lines = readFileSync(journalPath, 'utf8').split('\n');
  writeFileSync(journalPath, [...lines.slice(0, 12), '{"v":1, garbage', ...lines.slice(13)].join('\n'));
  const seqs: number[] = [];
  for await (const { seq } of folded(journalPath).eventsAfter(9)) seqs.push(seq);
  expect(seqs).toEqual([10, 11, 12]);
});

it('a torn end is a problem when nobody writes, and none while somebody does', async () => {
  const { journalPath } = leaveRun(folder, { count: 10 });
  appendFileSync(journalPath, '{"v":1,"seq":12,"at');
  const run = folded(journalPath);
  await run.catchUp();
  expect(await run.problem(true)).toBeUndefined();
  expect(await run.problem(false)).toMatch(/incomplete/);
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

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newHolder, ownIdentity } from '../../src/journal/lock.js';
import { findSecondHome, newRunId } from '../../src/journal/run-places.js';
import { folderOf } from '../../src/journal/disk.js';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import { LockedError } from '../../src/model/errors.js';
import { FULL } from '../support/full-form.js';
import { DEAD_PROCESS, RUN_ID, type ScratchRun, scratchRun } from './scratch-run.js';
import { buildWriter, startWriter, type Writer, type WriterProgram } from './writer-process.js';

let program: WriterProgram;
let scratch: ScratchRun;
let writers: Writer[];

beforeAll(async () => {
  program = await buildWriter();
});
afterAll(() => program.remove());
beforeEach(() => {
  scratch = scratchRun();
  writers = [];
});
afterEach(async () => {
  for (const { child } of writers) child.kill('SIGKILL');
  await Promise.all(writers.map((writer) => writer.ended));
  scratch.dispose();
});

function start(task: string, runId = RUN_ID, startAtMs = 0): Writer {
  const writer = startWriter([process.execPath, program.path, task, scratch.workingDir, runId, String(startAtMs)]);
  writers.push(writer);
  return writer;
}

describe('kill -9 of the writer', () => {
  it('loses no event that was reported as recorded', async () => {
    let published = 0;
    for (let round = 0; round < (FULL ? 200 : 20); round += 1) {
      const writer = start(round === 0 ? 'create' : 'open');
      await writer.spoke;
      await sleep(Math.random() * 40);
      writer.child.kill('SIGKILL');
      await writer.ended;
      const last = Number(writer.lines.at(-1));
      expect(last).toBeGreaterThan(published);
      published = last;
      const verified = await verifyJournal(scratch.path);
      expect(verified.events).toBeGreaterThanOrEqual(published);
      expect(verified.events).toBeLessThanOrEqual(published + 1);
    }
    const journal = scratch.open();
    expect(journal.state.seq).toBeGreaterThanOrEqual(published);
    expect(journal.append({ type: 'resumed' }, 1).seq).toBe(journal.state.seq);
    await journal.close();
  }, 300_000);

  it('frees the run at once, and not before', async () => {
    const writer = start('create');
    await writer.spoke;
    const other = () => scratch.create();
    expect(other).toThrow(LockedError);
    expect(other).toThrow(new RegExp(`run ${RUN_ID} .*process ${writer.child.pid} on `));
    expect(() => scratch.open()).toThrow(LockedError);
    writer.child.kill('SIGKILL');
    await writer.ended;
    await scratch.open().close();
  });
});

describe('racing for a working tree', () => {
  const RACERS = FULL ? 50 : 12;

  async function expectOneWinner(): Promise<void> {
    const startAtMs = Date.now() + 150 * RACERS;
    const racers = Array.from({ length: RACERS }, () => start('race', newRunId(), startAtMs));
    await Promise.all(racers.map((racer) => racer.spoke));
    const said = racers.map((racer) => racer.lines[0] ?? '');
    const winners = said.filter((line) => line.startsWith('won'));
    expect(winners).toHaveLength(1);
    expect(said.filter((line) => line.startsWith('lost LockedError'))).toHaveLength(RACERS - 1);
    for (const racer of racers) racer.child.stdin?.end();
    await Promise.all(racers.map((racer) => racer.ended));
  }

  it('is won by exactly one when the tree is free', expectOneWinner, 120_000);

  it('is won by exactly one when all find the lock of a dead process', async () => {
    for (let round = 0; round < (FULL ? 10 : 1); round += 1) {
      leaveLock(newHolder(RUN_ID, new Date(), DEAD_PROCESS));
      await expectOneWinner();
    }
  }, 300_000);

  it('does not mistake a process that got the pid of a dead one for it', async () => {
    leaveLock({ ...newHolder(RUN_ID, new Date()), startTime: '1' });
    await scratch.create().close();
  });

  it('refuses the tree of a live process although its files are old', () => {
    leaveLock(newHolder(RUN_ID, new Date('2020-01-01T00:00:00Z'), ownIdentity()));
    expect(() => scratch.create()).toThrow(
      new RegExp(`run ${RUN_ID} .*process ${process.pid} on ${ownIdentity().host} .*2020-01-01T00:00:00.000Z`),
    );
  });

  it('does not free the tree when the agent removes .ralph', async () => {
    const journal = scratch.create();
    rmSync(join(scratch.workingDir, '.ralph'), { recursive: true });
    expect(() => scratch.create()).toThrow(LockedError);
    journal.append({ type: 'paused' }, 1);
    expect(JSON.parse(readFileSync(join(scratch.workingDir, '.ralph', 'lock'), 'utf8'))).toMatchObject({
      runId: RUN_ID,
    });
    await journal.close();
  });

  function leaveLock(holder: object): void {
    mkdirSync(join(scratch.workingDir, '.ralph'), { recursive: true });
    writeFileSync(join(scratch.workingDir, '.ralph', 'lock'), JSON.stringify(holder));
    const hidden = folderOf(findSecondHome(scratch.workingDir, scratch.options.environment).tree);
    mkdirSync(hidden, { recursive: true });
    writeFileSync(join(hidden, 'lock'), JSON.stringify(holder));
  }
});

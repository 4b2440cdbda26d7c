import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import { type Disk, NODE_DISK } from '../../src/journal/disk.js';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { processesOfRun } from '../../src/process/process-table.js';
import { LoopRunner } from '../../src/run/run-handle.js';
import { scriptedAgent } from '../../src/testing/index.js';
import { FULL } from '../support/full-form.js';
import { type ScratchRun, scratchRun } from './scratch-run.js';

/** What every call takes, and what a sync takes on top of it. */
const CALL_MS = FULL ? 50 : 2;
const SYNC_MS = FULL ? 500 : 40;

let scratch: ScratchRun | undefined;
afterEach(() => scratch?.dispose());

const cell = new Int32Array(new SharedArrayBuffer(4));
const wait = (ms: number) => Atomics.wait(cell, 0, 0, ms);

type Call = (...parameters: unknown[]) => unknown;

/** A disk that does everything, and takes its time. */
function slowDisk(): Disk {
  const slow =
    (name: string, call: Call): Call =>
    (...parameters) => {
      wait(name.includes('sync') ? CALL_MS + SYNC_MS : CALL_MS);
      return call(...parameters);
    };
  const calls = Object.entries(NODE_DISK).filter(
    ([name, call]) => /Sync$|^fdatasync$/.test(name) && typeof call === 'function',
  );
  return { ...NODE_DISK, ...Object.fromEntries(calls.map(([name, call]) => [name, slow(name, call as Call)])) };
}

const config = ({ workingDir }: ScratchRun, more: LoopConfig): LoopConfig => ({
  workingDir,
  prompt: 'go',
  iterationDelay: 0,
  trackFileChanges: false,
  ...more,
});

describe('on a slow disk', () => {
  it('a budget is exact, and everything is on record', async () => {
    const run = scratchRun();
    scratch = run;
    const agent = scriptedAgent([
      { events: [{ kind: 'usage', scope: 'request', spend: { inputTokens: 1, costUsd: 0.25 } }] },
    ]);
    const journal = run.create({ disk: slowDisk() });
    const limits = { stop: { limits: [{ max_cost: 0.5 }], failure: [] } } as const;
    const result = await new LoopRunner(config(run, limits), { journal, agent }).run();
    expect(result).toMatchObject({ status: 'stopped', class: 'limit' });
    expect(agent.tasks).toHaveLength(2);
    const { state, torn } = await verifyJournal(run.path);
    expect(torn).toBeUndefined();
    expect(totalSpend(state.spend).costUsd).toBeCloseTo(0.5, 9);
    expect(state).toEqual(result.state);
  }, 300_000);

  it('an agent that hangs is ended for its time, and one that ends by itself is not', async () => {
    const run = scratchRun();
    scratch = run;
    const journal = run.create({ disk: slowDisk() });
    // The first hangs, the second is done at once.
    const line = 'if [ -e hung ]; then exit 0; fi; touch hung; sleep 600';
    const settings = {
      maxIterations: 2,
      iterationTimeout: FULL ? '10s' : '2s',
      agent: { name: 'command', command: ['bash', '-c', line] },
    };
    const runner = new LoopRunner(config(run, settings), {
      journal,
      environment: { PATH: process.env['PATH'], HOME: join(run.workingDir, 'home') },
    });
    const outcomes: unknown[] = [];
    runner.subscribe((event) => {
      if (event.type === 'iteration-ended') outcomes.push([event.outcome, event.ending?.cause]);
    });
    expect(await runner.run()).toMatchObject({ status: 'stopped', class: 'limit' });
    expect(outcomes).toEqual([
      ['timed-out', 'timeout'],
      ['completed', 'exit'],
    ]);
    expect(processesOfRun(runner.id)).toEqual([]);
  }, 300_000);
});

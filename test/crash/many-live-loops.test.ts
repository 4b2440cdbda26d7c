import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { LoopRunner } from '../../src/run/run-handle.js';
import { scriptedAgent } from '../../src/testing/index.js';
import { FULL } from '../support/full-form.js';

const LOOPS = FULL ? 500 : 25;
const ITERATIONS = FULL ? 10 : 4;

const base = mkdtempSync(join(tmpdir(), 'pawl-many-loops-'));
const environment = { ...process.env, XDG_STATE_HOME: join(base, 'state') };
afterAll(() => rmSync(base, { recursive: true, force: true }), 120_000);

/** Its agent tells a cost of its own and works for a moment. */
function loopOf(index: number): LoopRunner {
  const workingDir = join(base, String(index));
  mkdirSync(workingDir);
  const spend = { inputTokens: 1, costUsd: index + 1 };
  const agent = scriptedAgent([
    {
      events: [{ kind: 'usage', scope: 'request', spend }],
      work: () => new Promise((resolve) => setTimeout(resolve, 20)),
    },
  ]);
  return new LoopRunner(
    { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false, maxIterations: ITERATIONS },
    { environment, agent },
  );
}

const descriptors = () => readdirSync('/proc/self/fd').length;

it(`${LOOPS} loops at once in one process are each counted for themselves, and leave nothing open`, async () => {
  const before = descriptors();
  const loops = Array.from({ length: LOOPS }, (_, index) => loopOf(index));
  const results = await Promise.all(loops.map((loop) => loop.run()));
  expect(results.filter(({ status, class: stopClass }) => status !== 'stopped' || stopClass !== 'limit')).toEqual([]);
  for (const [index, loop] of loops.entries()) {
    const { state, torn } = await verifyJournal(join(base, String(index), '.ralph', 'runs', loop.id, 'journal.jsonl'));
    expect(torn).toBeUndefined();
    expect(state.iterations).toBe(ITERATIONS);
    expect(totalSpend(state.spend).costUsd).toBeCloseTo((index + 1) * ITERATIONS, 6);
  }
  expect(descriptors()).toBeLessThanOrEqual(before + 2);
}, 600_000);

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopRunner } from 'pawl';
import { scriptedAgent } from 'pawl/testing';
import { median, milliseconds, report, times } from './measure.js';

const LOOPS = 500;
const ITERATIONS = 10;

const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-loops-'));
const environment = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };

/** Loops with a journal on disk each, whose agents work for a while in this process. */
function createLoop(index: number): LoopRunner {
  const workingDir = join(folder, String(index));
  mkdirSync(workingDir);
  const usage = { inputTokens: 1000, outputTokens: 100, costUsd: 0.001 };
  const agent = scriptedAgent([
    {
      events: [{ kind: 'usage', scope: 'request', spend: usage }],
      work: () => new Promise((resolve) => setTimeout(resolve, 20)),
    },
  ]);
  return new LoopRunner(
    { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false, maxIterations: ITERATIONS },
    { environment, agent },
  );
}

const loops = Array.from({ length: LOOPS }, (_, index) => createLoop(index));
const ends: number[] = [];
const started = performance.now();
let peak = 0;
const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50);
const took = await milliseconds(() =>
  Promise.all(
    loops.map(async (loop) => {
      await loop.run();
      if (loop.stats().iterations !== ITERATIONS) throw new Error('a loop stopped early');
      ends.push(performance.now() - started);
    }),
  ),
);
clearInterval(watch);
rmSync(folder, { recursive: true, force: true });

const spread = Math.max(...ends) / median(ends);
report(`${LOOPS} loops of ${ITERATIONS} iterations at once in one process`, [
  { what: 'all of them', figure: `${(took / 1000).toFixed(1)} s` },
  { what: 'memory', figure: `${(peak / 1e6).toFixed(0)} MB`, bound: '< 1 GB', holds: peak < 1e9 },
  { what: 'the last to end, against the median', figure: times(spread), bound: '<= 1.5 x', holds: spread <= 1.5 },
]);

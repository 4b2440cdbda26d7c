import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopRunner } from 'pawl';
import { instantAgent } from './instant-agent.js';
import { median, report, times } from './measure.js';

const LONG = 10_000;
const SHORT = 210;
const WINDOW = 200;

const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-long-'));
const environment = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };

function heldBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Milliseconds of each of the last iterations of a loop whose agent takes no time, and the memory held after some. */
async function loop(name: string, iterations: number, memoryAfter: readonly number[] = []) {
  const workingDir = join(folder, name);
  mkdirSync(workingDir);
  const runner = new LoopRunner(
    { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false, maxIterations: iterations },
    { environment, agent: instantAgent },
  );
  const starts: number[] = [];
  const held: number[] = [];
  runner.subscribe((event) => {
    if (event.type === 'iteration-started' && event.iteration > iterations - WINDOW) starts.push(performance.now());
    if (event.type === 'iteration-ended' && memoryAfter.includes(event.iteration)) held.push(heldBytes());
  });
  await runner.run();
  if (runner.stats().iterations !== iterations) throw new Error(`${name} stopped early`);
  return { periods: starts.slice(1).map((at, index) => at - (starts[index] ?? Number.NaN)), held };
}

try {
  // Compiled code is on both sides.
  for (const name of ['warm', 'warmer']) await loop(name, 1000);
  const { periods: late, held } = await loop('long', LONG, [10, LONG - WINDOW]);
  const early: number[] = [];
  for (const name of ['a', 'b', 'c']) early.push(...(await loop(name, SHORT)).periods);
  const ratio = median(late) / median(early);
  const grownMb = ((held[1] ?? Number.NaN) - (held[0] ?? Number.NaN)) / 1e6;
  report(`Iteration ${LONG} against iteration 10, by an agent that takes no time`, [
    { what: `iterations 10 to ${SHORT}`, figure: `${median(early).toFixed(2)} ms` },
    { what: `iterations ${LONG - WINDOW} to ${LONG}`, figure: `${median(late).toFixed(2)} ms` },
    { what: 'the late ones against the early ones', figure: times(ratio), bound: '<= 1.1 x', holds: ratio <= 1.1 },
    {
      what: 'memory held after collection, more than after 10',
      figure: `${grownMb.toFixed(1)} MB`,
      bound: '<= 10 MB',
      holds: grownMb <= 10,
    },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

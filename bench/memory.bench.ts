import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopRunner } from 'pawl';
import { report, times } from './measure.js';

// `npm run bench -- memory --full` lets the agent print 10 GB, too.
const FULL = process.argv.includes('--full');
const MB = 1_000_000;

const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-memory-'));
const environment = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };

/** The most memory that this process had while a loop ran one iteration of a shell script. */
async function peakWith(script: string): Promise<number> {
  globalThis.gc?.();
  globalThis.gc?.();
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  const runner = new LoopRunner(
    {
      workingDir: folder,
      prompt: 'go',
      agent: { command: ['bash', '-c', script] },
      trackFileChanges: false,
      maxIterations: 1,
    },
    { environment },
  );
  await runner.run();
  clearInterval(watch);
  if (runner.stats().successfulIterations !== 1) throw new Error(`${script} did not work`);
  return peak;
}

const lines = (bytes: number) =>
  `yes 'a line of output as agents print them, neither short nor long' | head -c ${bytes}`;
const oneLine = (bytes: number) => `head -c ${bytes} /dev/zero | tr '\\0' x`;

await peakWith(lines(MB));
const idle = await peakWith('sleep 1');
const rows = [];
const scripts: readonly (readonly [string, string, number])[] = [
  ['100 MB in lines', lines(100 * MB), 1.5],
  ['1 GB in lines', lines(1000 * MB), 1.5],
  ...(FULL ? [['10 GB in lines', lines(10_000 * MB), 1.5] as const] : []),
  ['1 GB in one line', oneLine(1000 * MB), 2],
];
for (const [what, script, most] of scripts) {
  const ratio = (await peakWith(script)) / idle;
  rows.push({ what, figure: times(ratio), bound: `<= ${most} x`, holds: ratio <= most });
}
rmSync(folder, { recursive: true, force: true });
report(`Memory of the runner, against one whose agent prints nothing (${(idle / MB).toFixed(0)} MB)`, rows);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopRunner } from 'pawl';
import { median, milliseconds, report, times } from './measure.js';

const BLOCK = 40;
const ROUNDS = 9;
const AGENT = ['sh', '-c', 'cat >/dev/null; echo done'] as const;

const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-iteration-'));
const environment = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };

/** What a loop costs that only starts the program, feeds it and reads it. */
async function bareLoop(): Promise<void> {
  for (let iteration = 0; iteration < BLOCK; iteration++) {
    const child = spawn(AGENT[0], AGENT.slice(1), { cwd: folder, stdio: 'pipe' });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stdin.end('go');
    await once(child, 'close');
    if (output !== 'done\n') throw new Error('the agent did not work');
  }
}

async function bashLoop(): Promise<void> {
  const script = `for i in $(seq ${BLOCK}); do echo go | ${AGENT[0]} -c '${AGENT[2]}' >/dev/null; done`;
  await once(spawn('bash', ['-c', script], { cwd: folder }), 'close');
}

async function pawlLoop(): Promise<void> {
  const runner = new LoopRunner(
    {
      workingDir: folder,
      prompt: 'go',
      agent: { command: AGENT },
      iterationDelay: 0,
      trackFileChanges: false,
      maxIterations: BLOCK,
    },
    { environment },
  );
  const { class: stopClass } = await runner.run();
  if (stopClass !== 'limit' || runner.stats().successfulIterations !== BLOCK) throw new Error('the loop did not work');
}

/** Interleaved, so that a busy moment of the machine hits all of them. */
const samples = { bash: [] as number[], bare: [] as number[], pawl: [] as number[] };
for (let round = 0; round <= ROUNDS; round++) {
  const took = {
    bash: await milliseconds(bashLoop),
    bare: await milliseconds(bareLoop),
    pawl: await milliseconds(pawlLoop),
  };
  // The first is the warm-up.
  if (round === 0) continue;
  for (const name of ['bash', 'bare', 'pawl'] as const) samples[name].push(took[name] / BLOCK);
}
rmSync(folder, { recursive: true, force: true });

const [bash, bare, pawl] = [median(samples.bash), median(samples.bare), median(samples.pawl)];
report('One iteration: no tracking, no delay, every boundary synced, stragglers searched', [
  { what: 'a bash loop', figure: `${bash.toFixed(2)} ms` },
  { what: 'a bare Node loop of spawn and pipes', figure: `${bare.toFixed(2)} ms` },
  { what: 'Pawl', figure: `${pawl.toFixed(2)} ms` },
  { what: 'Pawl against the bare loop', figure: times(pawl / bare), bound: '<= 2.5 x', holds: pawl / bare <= 2.5 },
]);

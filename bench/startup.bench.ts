import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median, report } from './measure.js';

const bin = resolve('dist/bin/pawl.js');
if (!existsSync(bin)) spawnSync(process.execPath, ['scripts/build.mjs', '--cli-if-stale'], { stdio: 'inherit' });

/** Interleaved, so that a busy moment of the machine hits all of them. */
function startTimes(commands: Readonly<Record<string, readonly string[]>>, rounds = 21): Record<string, number> {
  const samples = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, args] of Object.entries(commands)) {
      const start = process.hrtime.bigint();
      const { status } = spawnSync(process.execPath, [...args], { stdio: 'ignore' });
      if (status !== 0) throw new Error(`${name} exits with ${status}`);
      samples[name]?.push(Number(process.hrtime.bigint() - start) / 1e6);
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
}

const took = startTimes({
  node: ['-e', '0'],
  version: [bin, '--version'],
  help: [bin, '--help'],
  check: [bin, 'check'],
});

/** From the start of `pawl run` to the first instruction of its agent, which writes the time down. */
function firstSpawn(rounds = 15): number {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-start-'));
  writeFileSync(join(folder, 'pawl.yaml'), 'track_file_changes: false\n');
  const command = ['run', '-p', 'go', '--max-iterations', '1', '--quiet', '--', 'sh', '-c', 'date +%s%N >stamp'];
  const samples = Array.from({ length: rounds }, () => {
    const startMs = Date.now();
    spawnSync(process.execPath, [bin, ...command], { cwd: folder, env: { ...process.env, HOME: folder } });
    return Number(readFileSync(join(folder, 'stamp'), 'utf8')) / 1e6 - startMs;
  });
  rmSync(folder, { recursive: true, force: true });
  return median(samples);
}
const spawned = firstSpawn() - (took['node'] ?? Number.NaN);

const over = (name: string) => (took[name] ?? Number.NaN) - (took['node'] ?? Number.NaN);
const shown = (name: string) => `${over(name).toFixed(0)} ms`;

report(`Start, over node -e 0 (${took['node']?.toFixed(0)} ms)`, [
  { what: 'pawl --version', figure: shown('version'), bound: '< 25 ms', holds: over('version') < 25 },
  { what: 'pawl run to its first agent', figure: `${spawned.toFixed(0)} ms`, bound: '< 150 ms', holds: spawned < 150 },
  { what: 'pawl --help', figure: shown('help'), bound: '< 40 ms', holds: over('help') < 40 },
  { what: 'pawl check', figure: shown('check') },
]);

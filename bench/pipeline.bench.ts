import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median, milliseconds, report, times } from './measure.js';

// `npm run bench -- pipeline --items 2000` for a quick look.
const option = process.argv.indexOf('--items');
const ITEMS = option < 0 ? 10_000 : Number(process.argv[option + 1]);
const ROUNDS = 3;
const AT_A_TIME = 8;
const MB = 1024 * 1024;

spawnSync(process.execPath, ['scripts/build.mjs', '--cli-if-stale'], { stdio: 'inherit' });
const bin = resolve('dist/bin/pawl.js');
const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-pipeline-'));
const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
const ids = Array.from({ length: ITEMS }, (_, index) => `item-${index}`);

const header = `items: { file: items.jsonl }\nconcurrency: ${AT_A_TIME}\n`;
writeFileSync(join(folder, 'items.jsonl'), ids.map((id) => `{"id":"${id}"}\n`).join(''));
writeFileSync(join(folder, 'one.jsonl'), '{"id":"item-0"}\n');
writeFileSync(join(folder, 'plain.yaml'), `${header}generate: { command: 'printf x > out/"$PAWL_ITEM_ID"' }\n`);
writeFileSync(
  join(folder, 'outputs.yaml'),
  `${header}generate: { command: 'printf x > "$PAWL_OUTPUT"', output: 'out/{{item.id}}' }\n`,
);
writeFileSync(join(folder, 'idle.yaml'), `items: { file: one.jsonl }\ngenerate: { command: sleep 1 }\n`);

function begin(): void {
  rmSync(join(folder, 'out'), { recursive: true, force: true });
  rmSync(join(folder, '.ralph'), { recursive: true, force: true });
  mkdirSync(join(folder, 'out'));
}

function checkMade(): void {
  if (readdirSync(join(folder, 'out')).length !== ITEMS) throw new Error('not every item was made');
}

async function xargs(): Promise<void> {
  const words = ['-P', String(AT_A_TIME), '-I{}', 'sh', '-c', 'printf x > out/{}'];
  const child = spawn('xargs', words, { cwd: folder, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(`${ids.join('\n')}\n`);
  await once(child, 'exit');
}

/** The most memory that it had. */
async function pawl(manifest: string): Promise<number> {
  const words = [bin, 'pipeline', 'run', manifest, '--trust', '--quiet'];
  const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  let peakBytes = 0;
  const watch = setInterval(() => (peakBytes = Math.max(peakBytes, peakOf(child.pid))), 20);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(watch);
  if (code !== 0) throw new Error(`pawl pipeline run ${manifest} exits with ${code}`);
  return peakBytes;
}

function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Interleaved, so that a busy moment of the machine hits all of them. */
const samples = { xargs: [] as number[], plain: [] as number[], outputs: [] as number[] };
const peaks: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  begin();
  samples.xargs.push(await milliseconds(xargs));
  checkMade();
  begin();
  samples.plain.push(await milliseconds(async () => peaks.push(await pawl('plain.yaml'))));
  checkMade();
  begin();
  samples.outputs.push(await milliseconds(() => pawl('outputs.yaml')));
  checkMade();
}
const idleBytes = await pawl('idle.yaml');
rmSync(folder, { recursive: true, force: true });

const floor = median(samples.xargs);
const each = (name: keyof typeof samples) => `${(median(samples[name]) / ITEMS).toFixed(2)} ms each`;
const ratio = median(samples.plain) / floor;
const memory = median(peaks) / idleBytes;
report(`A pipeline of ${ITEMS.toLocaleString('en')} items, ${AT_A_TIME} at a time, each \`printf x > out/ID\``, [
  { what: `xargs -P ${AT_A_TIME} sh -c`, figure: each('xargs') },
  { what: 'Pawl, the same command', figure: each('plain') },
  { what: 'Pawl against xargs', figure: times(ratio), bound: '< 2 x', holds: ratio < 2 },
  { what: 'Pawl, outputs synced, hashed and moved into place', figure: each('outputs') },
  { what: 'the same against xargs', figure: times(median(samples.outputs) / floor) },
  {
    what: `memory at its peak, against one item (${(idleBytes / MB).toFixed(0)} MB)`,
    figure: times(memory),
    bound: '<= 2 x',
    holds: memory <= 2,
  },
]);

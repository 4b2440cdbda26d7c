import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { FULL } from '../support/full-form.js';
import type { FuzzOrder, FuzzReport } from './fuzz-target.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** No input may take longer, on the slowest of machines: the largest has some hundred kilobytes. */
const HANG_MS = 300_000;
const LOOK_MS = 250;
/** What a target may hold at once, with the corpus and its own code. */
const MOST_MEGABYTES = 384;

const given = process.env['PAWL_FUZZ_SEED'];
/** The quick form is always the same; the full one finds something else every time. */
export const SEED = given === undefined ? (FULL ? Date.now() % 2 ** 31 : 1) : Number(given);

/** The targets as one program for workers: an endless loop in one of them must not hold the test. */
export class FuzzProgram {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pawl-fuzz-'));
  readonly #path = join(this.#folder, 'fuzz-worker.mjs');

  async build(): Promise<void> {
    await build({
      entryPoints: [fileURLToPath(new URL('fuzz-worker.ts', import.meta.url))],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: this.#path,
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      logLevel: 'error',
    });
  }

  /** What is wrong, with the seed and the number by which it is found again; undefined when nothing is. */
  async run(name: string, count: number, { seed = SEED, from = 0 } = {}): Promise<string | undefined> {
    const progress = new SharedArrayBuffer(4);
    const order: FuzzOrder = { name, root: ROOT, seed, from, count, progress };
    const worker = new Worker(this.#path, {
      workerData: order,
      env: { ...process.env, XDG_CONFIG_HOME: this.#folder, PAWL_FUZZ_FOLDER: this.#folder },
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    });
    const current = new Int32Array(progress);
    const words = (fault: string, index: number) => `${name}, seed ${seed}, input ${index}: ${fault}`;
    try {
      const report = await Promise.race([reportOf(worker), hangOf(current, worker)]);
      if (report === 'hangs') return words('it hangs', Atomics.load(current, 0));
      return report.kind === 'done' ? undefined : words(`${report.fault}\n${report.input}`, report.index);
    } catch (error) {
      return words(String(error), Atomics.load(current, 0));
    } finally {
      await worker.terminate();
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function reportOf(worker: Worker): Promise<FuzzReport> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`it ended the process with ${code}`)));
  });
}

/** Resolves when the worker has been at one input for too long. */
function hangOf(current: Int32Array, worker: Worker): Promise<'hangs'> {
  return new Promise((resolve) => {
    let seen = -1;
    let sinceMs = performance.now();
    const watch = setInterval(() => {
      const index = Atomics.load(current, 0);
      if (index !== seen) [seen, sinceMs] = [index, performance.now()];
      else if (performance.now() - sinceMs > HANG_MS) resolve('hangs');
    }, LOOK_MS);
    worker.once('exit', () => clearInterval(watch));
  });
}

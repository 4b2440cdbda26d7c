import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { inProject } from './project.mjs';
import { fail, runCommand } from './run-command.mjs';

await ensureInstalled();
const { build } = await import('esbuild');

// `npm run bench -- journal --events 1000`: leading words choose benches by name, the rest goes to them. A bench in a
// folder of its own installs something and runs only when it is named.
const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith('-'));
const wanted = firstOption < 0 ? args : args.slice(0, firstOption);
const options = firstOption < 0 ? [] : args.slice(firstOption);

const benches = readdirSync(inProject('bench'), { recursive: true })
  .filter((file) => file.endsWith('.bench.ts'))
  .filter((file) =>
    wanted.length === 0 ? dirname(file) === '.' : wanted.some((word) => basename(file).includes(word)),
  )
  .sort((a, b) => a.localeCompare(b));
if (benches.length === 0) fail(`No bench is named like ${wanted.join(' or ') || '*.bench.ts'}.`);

// Beside the sources, so that packages which are not bundled are found.
const folder = mkdtempSync(inProject('node_modules', '.pawl-bench-'));
try {
  for (const bench of benches) {
    const outfile = join(folder, bench.replace(/\.ts$/, '.mjs'));
    await build({
      entryPoints: [inProject('bench', bench)],
      outfile,
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      alias: {
        pawl: inProject('src', 'index.ts'),
        'pawl/agent': inProject('src', 'agent', 'index.ts'),
        'pawl/testing': inProject('src', 'testing', 'index.ts'),
      },
      logLevel: 'warning',
    });
    const nodeArgs = ['--expose-gc', '--enable-source-maps', outfile, ...options];
    const { code } = await runCommand(process.execPath, nodeArgs, { passesSignals: true });
    if (code !== 0) process.exitCode = code;
    // Told to end, by a signal or at Ctrl-C.
    if (code > 128) break;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

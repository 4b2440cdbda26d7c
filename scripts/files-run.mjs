// Counts the source files in which code runs for the smallest `pawl run`: one iteration of one command. What runs only while
// a module is loaded does not count. Usage: node scripts/files-run.mjs [--list]
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { inProject, readPackage } from './project.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'pawl-files-run-'));
try {
  const command = await bundle(join(scratch, 'bin'));
  const ranIn = filesOf(record(command));
  const rooms = Map.groupBy?.(ranIn.keys(), roomOf) ?? groupBy([...ranIn.keys()], roomOf);
  for (const [room, files] of [...rooms].sort(([, a], [, b]) => b.length - a.length)) {
    process.stdout.write(`${String(files.length).padStart(5)}  ${room}\n`);
    if (!process.argv.includes('--list')) continue;
    for (const file of files.sort()) process.stdout.write(`         ${file}  ${ranIn.get(file)}\n`);
  }
  const functions = [...ranIn.values()].reduce((sum, count) => sum + count, 0);
  process.stdout.write(`${String(ranIn.size).padStart(5)}  files in which code runs, ${functions} functions\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function bundle(outdir) {
  await build({
    entryPoints: { pawl: inProject('src', 'views', 'cli', 'main.ts') },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'external',
    external: Object.keys(readPackage().peerDependencies ?? {}),
    banner: {
      js: "import { createRequire as requireForBundle } from 'node:module'; const require = requireForBundle(import.meta.url);",
    },
    logLevel: 'error',
  });
  return join(outdir, 'pawl.js');
}

/** Runs it in a new git repository. Returns the coverage that Node recorded. */
function record(command) {
  const [project, coverage, home] = ['project', 'coverage', 'home'].map((name) => join(scratch, name));
  for (const folder of [project, home]) mkdirSync(folder, { recursive: true });
  execFileSync('git', ['init', '-q', project]);
  const { status } = spawnSync(
    process.execPath,
    [command, 'run', '-p', 'task', '--max-iterations', '1', '--', 'true'],
    {
      cwd: project,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, HOME: home, NODE_V8_COVERAGE: coverage, CI: '1' },
    },
  );
  const iterationLimit = 3;
  if (status !== iterationLimit) throw new Error(`pawl run ended with exit code ${status}, not ${iterationLimit}`);
  return readdirSync(coverage).flatMap((name) => JSON.parse(readFileSync(join(coverage, name), 'utf8')).result);
}

/** Functions that ran, by source file. */
function filesOf(scripts) {
  const seen = new Map();
  for (const { url, functions } of scripts) {
    if (!url.startsWith('file:')) continue;
    const path = fileURLToPath(url);
    if (!path.startsWith(scratch)) continue;
    const text = readFileSync(path, 'utf8');
    const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
    const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, endOffset, count }] = ranges;
      const isModule = startOffset === 0 && endOffset >= text.length - 1;
      if (count === 0 || isModule || /^(?:__|init_)/.test(functionName)) continue;
      const line = starts.findLastIndex((start) => start <= startOffset);
      const { originalSource } = map.findEntry(line, startOffset - starts[line]);
      if (originalSource === undefined) continue;
      const source = relative(inProject(), resolve(dirname(path), originalSource));
      if (existsSync(inProject(source)) && source.startsWith('src/'))
        seen.set(source, (seen.get(source) ?? new Set()).add(`${line}:${startOffset}`));
    }
  }
  return new Map([...seen].map(([file, ids]) => [file, ids.size]));
}

function roomOf(file) {
  const parts = dirname(file).split('/');
  return parts.slice(1, parts[1] === 'views' ? 3 : 2).join('/') || basename(file);
}

function groupBy(list, keyOf) {
  const groups = new Map();
  for (const value of list) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

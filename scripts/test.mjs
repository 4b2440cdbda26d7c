import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { otherNodes } from './other-nodes.mjs';
import { inProject } from './project.mjs';
import { runCommand } from './run-command.mjs';
import { describeTally, mergeTallies } from './test-tally.mjs';

await ensureInstalled();

const args = process.argv.slice(2);
const isFull = args.includes('--full');
const vitestArgs = args.filter((arg) => arg !== '--full');
const isFiltered = vitestArgs.some((arg) => /^(?:-t|--testNamePattern)(?:=|$)/.test(arg));
const everythingMustRun = process.env.PAWL_TEST_ALL === '1' && !isFiltered;

const folder = mkdtempSync(join(tmpdir(), 'pawl-test-'));
try {
  const runs = [await runTests('own', isFull && { PAWL_TEST_FULL: '1' })];
  // Everything again, in the quick form, under the other versions of Node.
  for (const { major, folder: nodeFolder } of isFull && vitestArgs.length === 0 ? await otherNodes() : []) {
    process.stdout.write(`\nNode ${major}\n`);
    runs.push(await runTests(`Node ${major}`, { PATH: `${nodeFolder}${delimiter}${process.env.PATH}` }));
  }
  const { tally, code } = mergeTallies(runs);
  const { lines, exitCode } = describeTally(tally, code, everythingMustRun);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = exitCode;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function runTests(name, env) {
  const tallyFile = join(folder, `${name}.json`);
  const reporters = ['--reporter=default', `--reporter=${inProject('scripts', 'tally-reporter.mjs')}`];
  const strict = everythingMustRun ? ['--allowOnly=false'] : [];
  const { code } = await runCommand('vitest', ['run', ...reporters, ...strict, ...vitestArgs], {
    env: { ...env, PAWL_TALLY_FILE: tallyFile },
  });
  return { name, code, tally: readTally(tallyFile) };
}

function readTally(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { inProject } from './project.mjs';
import { runCommand } from './run-command.mjs';
import { describeTally } from './test-tally.mjs';

await ensureInstalled();

const args = process.argv.slice(2);
const isFull = args.includes('--full');
const vitestArgs = args.filter((arg) => arg !== '--full');
const isFiltered = vitestArgs.some((arg) => /^(?:-t|--testNamePattern)(?:=|$)/.test(arg));
const everythingMustRun = process.env.PAWL_TEST_ALL === '1' && !isFiltered;

const folder = mkdtempSync(join(tmpdir(), 'pawl-test-'));
const tallyFile = join(folder, 'tally.json');
try {
  const reporters = ['--reporter=default', `--reporter=${inProject('scripts', 'tally-reporter.mjs')}`];
  const strict = everythingMustRun ? ['--allowOnly=false'] : [];
  const { code } = await runCommand('vitest', ['run', ...reporters, ...strict, ...vitestArgs], {
    env: { PAWL_TALLY_FILE: tallyFile, ...(isFull && { PAWL_TEST_FULL: '1' }) },
  });
  const { lines, exitCode } = describeTally(readTally(), code, everythingMustRun);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = exitCode;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function readTally() {
  try {
    return JSON.parse(readFileSync(tallyFile, 'utf8'));
  } catch {
    return undefined;
  }
}

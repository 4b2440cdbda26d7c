import { readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runWithAiSdk7 } from './ai-7.mjs';
import { ensureCliBuilt } from './build.mjs';
import { ensureNode, otherNodes } from './other-nodes.mjs';
import { inProject } from './project.mjs';
import { runCommand } from './run-command.mjs';
import { makeScratchFolder } from './scratch-folder.mjs';
import { describeTally, mergeTallies } from './test-tally.mjs';

// Once, before test files that need it start side by side: they are told that it is done.
await ensureCliBuilt();

const args = process.argv.slice(2);
const isFull = args.includes('--full');
const vitestArgs = args.filter((arg) => arg !== '--full');
const isFiltered = vitestArgs.some((arg) => /^(?:-t|--testNamePattern)(?:=|$)/.test(arg));
const isAll = isFull || process.env.PAWL_TEST_ALL === '1';
const everythingMustRun = process.env.PAWL_TEST_ALL === '1' && !isFiltered;
const isQuick = !isAll && vitestArgs.every((arg) => arg.startsWith('-'));

const folder = makeScratchFolder();
try {
  const full = isFull ? { PAWL_TEST_FULL: '1' } : {};
  const runs = [await runTests('own', full)];
  // pg-boss needs a newer Node than the rest of Pawl: vitest.config.ts leaves its tests out under an older one.
  if (isAll && !isNodeOfFleet() && vitestArgs.length === 0) {
    process.stdout.write('\nThe fleet under Node 22\n');
    const env = { ...full, PATH: `${await ensureNode(22)}${delimiter}${process.env.PATH}` };
    runs.push(await runTests('fleet', env, ['test/fleet/']));
  }
  // Everything again, in the quick form, under the other versions of Node.
  for (const { major, folder: nodeFolder } of isFull && vitestArgs.length === 0 ? await otherNodes() : []) {
    process.stdout.write(`\nNode ${major}\n`);
    const env = { PATH: `${nodeFolder}${delimiter}${process.env.PATH}` };
    runs.push(await runTests(`Node ${major}`, env));
    if (major === 22) runs.push(...(await runWithAiSdk7(runTests, env)));
  }
  const { tally, code } = mergeTallies(runs);
  const { lines, exitCode } = describeTally(tally, code, everythingMustRun);
  if (isQuick) lines.splice(-1, 0, 'Left to PAWL_TEST_ALL=1 npm test:', ...leftToAll().map((kind) => `  ${kind}`));
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = exitCode;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function isNodeOfFleet() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 12);
}

async function runTests(name, env, moreArgs = []) {
  const tallyFile = join(folder, `${name}.json`);
  const reporters = ['--reporter=default', `--reporter=${inProject('scripts', 'tally-reporter.mjs')}`];
  const strict = everythingMustRun ? ['--allowOnly=false'] : [];
  const { code } = await runCommand('vitest', ['run', ...reporters, ...strict, ...vitestArgs, ...moreArgs], {
    env: {
      ...env,
      TMPDIR: folder,
      PAWL_TALLY_FILE: tallyFile,
      PAWL_TEST_BUILT: '1',
      PAWL_TEST_QUICK: isQuick ? '1' : '',
    },
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

/** The kinds of tests that the quick form leaves out. */
function leftToAll() {
  return Object.keys(JSON.parse(readFileSync(inProject('test', 'left-to-all.json'), 'utf8')));
}

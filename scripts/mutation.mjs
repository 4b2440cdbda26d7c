import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ensureInstalled } from './ensure-installed.mjs';
import { readResult, updateReport } from './mutation-report.mjs';
import { inProject } from './project.mjs';
import { runCommand } from './run-command.mjs';

const REPORT = inProject('bench', 'mutation-report.md');

const { scope, args } = parse(process.argv.slice(2));
// Each scope has a config of its own: `journal` has stryker.journal.config.mjs.
const config = `stryker.${scope}.config.mjs`;
if (!existsSync(inProject(config))) {
  process.stderr.write(`There is no ${config}: known are those that have one.\n`);
  process.exit(2);
}
await ensureInstalled();
const result = inProject('reports', `mutation-${scope}.json`);
rmSync(result, { force: true });
const { code } = await runCommand('stryker', ['run', config, ...args]);

if (existsSync(result)) {
  const update = {
    scope,
    result: readResult(result),
    commit: await commitId(),
    isThere: (file) => existsSync(inProject(file)),
  };
  writeFileSync(REPORT, updateReport(existsSync(REPORT) ? readFileSync(REPORT, 'utf8') : '', update));
  process.stdout.write('Written: bench/mutation-report.md\n');
}
process.exitCode = code;

/** A first word is a scope. Without one: what decides when to stop. */
function parse([first, ...rest]) {
  if (first === undefined) return { scope: 'decision', args: [] };
  return first.startsWith('-') ? { scope: 'decision', args: [first, ...rest] } : { scope: first, args: rest };
}

async function commitId() {
  const head = await runCommand('git', ['rev-parse', '--short=12', 'HEAD'], { capture: true });
  const changes = await runCommand('git', ['status', '--porcelain', '--', 'src', 'test'], { capture: true });
  return `${head.output.trim()}${changes.output.trim() === '' ? '' : ' with changes'}`;
}

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { ensureInstalled } from './ensure-installed.mjs';
import { describeMutation } from './mutation-report.mjs';
import { inProject } from './project.mjs';
import { runCommand } from './run-command.mjs';

const RESULT = inProject('reports', 'mutation.json');
const REPORT = inProject('bench', 'mutation-report.md');

await ensureInstalled();
rmSync(RESULT, { force: true });
const args = process.argv.slice(2);
const { code } = await runCommand('stryker', ['run', ...args]);

const isWhole = !args.some((arg) => /^(?:-m|--mutate)(?:=|$)/.test(arg) || arg === '--dryRunOnly');
if (isWhole && existsSync(RESULT)) {
  writeFileSync(REPORT, describeMutation(RESULT, await commitId()));
  process.stdout.write('Written: bench/mutation-report.md\n');
}
process.exitCode = code;

async function commitId() {
  const head = await runCommand('git', ['rev-parse', '--short=12', 'HEAD'], { capture: true });
  const changes = await runCommand('git', ['status', '--porcelain', '--', 'src', 'test'], { capture: true });
  return `${head.output.trim()}${changes.output.trim() === '' ? '' : ' with uncommitted changes'}`;
}

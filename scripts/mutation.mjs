import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ensureInstalled } from './ensure-installed.mjs';
import { readResult, updateReport } from './mutation-report.mjs';
import { inProject } from './project.mjs';
import { runCommand } from './run-command.mjs';

const REPORT = inProject('bench', 'mutation-report.md');
/** Without a scope: what decides when to stop. */
const DECISION = { heading: 'stop and model', config: 'stryker.config.mjs', result: 'mutation.json' };

const { scope, args } = parse(process.argv.slice(2));
if (!existsSync(inProject(scope.config))) {
  process.stderr.write(`There is no ${scope.config}: known are those that have one.\n`);
  process.exit(2);
}
await ensureInstalled();
const result = inProject('reports', scope.result);
rmSync(result, { force: true });
const { code } = await runCommand('stryker', ['run', scope.config, ...args]);

if (existsSync(result)) {
  const update = {
    scope: scope.heading,
    result: readResult(result),
    commit: await commitId(),
    isThere: (file) => existsSync(inProject(file)),
  };
  writeFileSync(REPORT, updateReport(existsSync(REPORT) ? readFileSync(REPORT, 'utf8') : '', update));
  process.stdout.write('Written: bench/mutation-report.md\n');
}
process.exitCode = code;

/** A first word is a scope, which has a config of its own: `journal` is stryker.journal.config.mjs. */
function parse([first, ...rest]) {
  if (first === undefined || first.startsWith('-')) {
    return { scope: DECISION, args: first === undefined ? [] : [first, ...rest] };
  }
  const scope = { heading: first, config: `stryker.${first}.config.mjs`, result: `mutation-${first}.json` };
  return { scope, args: rest };
}

async function commitId() {
  const head = await runCommand('git', ['rev-parse', '--short=12', 'HEAD'], { capture: true });
  const changes = await runCommand('git', ['status', '--porcelain', '--', 'src', 'test'], { capture: true });
  return `${head.output.trim()}${changes.output.trim() === '' ? '' : ' with changes'}`;
}

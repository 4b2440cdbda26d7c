import { ensureCliBuilt } from './build.mjs';
import { inProject } from './project.mjs';
import { runCommand } from './run-command.mjs';

await ensureCliBuilt();
const { code } = await runCommand(process.execPath, [
  inProject('dist', 'bin', 'pawl.js'),
  'demo',
  ...process.argv.slice(2),
]);
process.exitCode = code;

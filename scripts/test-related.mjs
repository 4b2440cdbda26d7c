import { existsSync } from 'node:fs';
import { ensureInstalled } from './ensure-installed.mjs';
import { inProject } from './project.mjs';
import { fail, runCommand } from './run-command.mjs';

await ensureInstalled();

const changed = (
  await Promise.all([git('diff', '--name-only', 'HEAD'), git('ls-files', '--others', '--exclude-standard')])
)
  .flat()
  .filter((file) => /\.(?:ts|tsx|mjs|json|md|ya?ml)$/.test(file) && existsSync(inProject(file)));

if (changed.length === 0) {
  process.stdout.write('Nothing changed since the last commit.\n');
} else {
  const { code } = await runCommand('vitest', [
    'related',
    '--run',
    '--passWithNoTests',
    ...process.argv.slice(2),
    ...changed,
  ]);
  process.exitCode = code;
}

async function git(...args) {
  const { code, output } = await runCommand('git', args, { capture: true });
  if (code !== 0) fail(output);
  return output.split('\n').filter((line) => line !== '');
}

import { ensureInstalled } from './ensure-installed.mjs';
import { inProject } from './project.mjs';
import { runCommand } from './run-command.mjs';

const script = (name) => [process.execPath, inProject('scripts', name)];

const STEPS = [
  ['format', 'biome', 'format', '.'],
  ['lint', 'oxlint', '--type-aware', '--deny-warnings'],
  ['types', 'tsc', '--noEmit'],
  ['types of page', 'tsc', '--noEmit', '-p', 'src/views/web/client'],
  ['unused code', 'knip'],
  ['tests', ...script('test.mjs')],
  ['build', ...script('build.mjs')],
  ['package', 'publint', '--strict'],
  ['package types', 'attw', '--pack', '.', '--profile', 'esm-only', '--no-emoji'],
];

await ensureInstalled();
const startedAll = performance.now();
for (const [name, command, ...args] of STEPS) {
  const started = performance.now();
  const { code, output } = await runCommand(command, args, { capture: true });
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name.padEnd(14)} ${seconds(started)}\n`);
  if (code !== 0) {
    process.stdout.write(`\n${output}\n${[command, ...args].join(' ')}\nended with exit code ${code}.\n`);
    process.exit(1);
  }
}
process.stdout.write(`everything is in order, ${seconds(startedAll).trim()}\n`);

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1).padStart(6)} s`;
}

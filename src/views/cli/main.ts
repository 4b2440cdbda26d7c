import { setFlagsFromString } from 'node:v8';
import { VERSION } from '../../version.js';

// The version is asked for by scripts and prompts: it must not wait for anything else to load.
const [, , first] = process.argv;
if (process.argv.length === 3 && (first === '--version' || first === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  const [{ runProgram }, { createContext }, { exitQuietlyWhenClosed }] = await Promise.all([
    import('./program.js'),
    import('./command-context.js'),
    import('../text/terminal.js'),
  ]);
  exitQuietlyWhenClosed(process.stdout, process.stderr);
  const exitCode = await runProgram(process.argv.slice(2), createContext(process, tuneEngine));
  // An output that could not be written has set one already: it counts where all else went well.
  if (exitCode !== 0 || process.exitCode === undefined) process.exitCode = exitCode;
}

/**
 * For a process that drives runs. A loop does little at a time and much of it for the first time: code that is compiled simply
 * at once is quicker than code that is interpreted first. Thousands of attempts side by side, or an agent that prints
 * gigabytes, leave much garbage and little else: the heap would grow to several times what is needed.
 */
function tuneEngine(): void {
  for (const flag of [
    '--always-sparkplug',
    '--semi-space-growth-factor=1',
    '--max-semi-space-size=4',
    '--heap-growing-percent=20',
  ]) {
    setFlagsFromString(flag);
  }
}

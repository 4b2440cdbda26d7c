import { VERSION } from '../../version.js';

// The version is asked for by scripts and prompts: it must not wait for anything else to load.
const [, , first] = process.argv;
if (process.argv.length === 3 && (first === '--version' || first === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  const [{ runProgram }, { createContext }, { leaveQuietlyWhenNobodyReads }, { tuneEngine }] = await Promise.all([
    import('./program.js'),
    import('./command-context.js'),
    import('./reader-gone.js'),
    import('./tune-engine.js'),
  ]);
  leaveQuietlyWhenNobodyReads(process.stdout, process.stderr);
  const exitCode = await runProgram(process.argv.slice(2), createContext(process, tuneEngine));
  // An output that could not be written has set one already: it counts where all else went well.
  if (exitCode !== 0 || process.exitCode === undefined) process.exitCode = exitCode;
}

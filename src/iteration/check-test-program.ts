import { ConfigError } from '../model/errors.js';
import type { RunSpec } from '../model/run-spec.js';
import { type TestResults, testsRan } from '../model/test-results.js';
import { findProgram, whyNotRunnable } from '../process/find-program.js';

/** What a shell does itself, or what begins something longer. */
const OF_THE_SHELL = new Set(
  ': . [ alias break case cd command continue echo eval exec exit export false for if printf pwd read return set shift source test time times trap true type ulimit umask unset until wait while'.split(
    ' ',
  ),
);
const REMEDY = 'install it, or correct the command';

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws ConfigError when the tests begin with a program that is not there: no work of an agent would make them pass. Starts nothing. */
export function checkTestProgram({ tests, hooks, workingDir }: RunSpec, environment: Environment): void {
  const program = /^\s*([\w.+/-]+)(?=\s|$)/.exec(tests?.command ?? '')?.[1];
  // A hook may still install it.
  if (program === undefined || OF_THE_SHELL.has(program) || hooks.before_iteration !== undefined) return;
  if (findProgram(program, workingDir, environment['PATH']) !== undefined) return;
  const why = program.includes('/') ? `: ${whyNotRunnable(program, workingDir)}` : '';
  throw refused(`${program} is not a program that can be run${why}; ${REMEDY}`);
}

/** The same for one that the shell did not find when the tests ran. A program that only another one misses may be installed by the agent. */
export function checkTestsRan({ tests, hooks }: RunSpec, results: TestResults | undefined): void {
  const { exitCode, output = '' } = results ?? {};
  if (tests === undefined || results === undefined || hooks.before_iteration !== undefined) return;
  if (testsRan(results) !== undefined || (exitCode !== 126 && exitCode !== 127)) return;
  const words = tests.command.match(/[\w.+/-]+/g) ?? [];
  const missing = words.find((word) =>
    ['not found', 'command not found', 'Permission denied', 'No such file'].some((why) =>
      output.includes(`${word}: ${why}`),
    ),
  );
  if (missing === undefined) return;
  throw refused(`they cannot be run (exit code ${exitCode}): there is no program ${missing}; ${REMEDY}`);
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: 'tests', message }]);
}

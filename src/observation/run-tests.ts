import { tailOf } from '../model/cut-text.js';
import { constants } from 'node:os';
import type { TestsSpec } from '../model/run-spec.js';
import type { TestDetail, TestResults } from '../model/test-results.js';
import type { Harness } from './harness.js';
import { keptDetails } from './kept-details.js';
import { parseTestOutput } from './parse-test-output.js';
import { testDetail } from './parsed-tests.js';
import { type CommandOutcome, runCommand } from './run-command.js';
import { awaitReport, type ReportReading } from './test-report.js';

export interface TestRun extends TestsSpec {
  /** False: nothing is read, the exit code decides. */
  readonly parse?: boolean | undefined;
}

/** Of tests that cannot be counted, this much of the end of their output is kept. */
const OUTPUT_CHARACTERS = 2000;

/**
 * Runs the tests. What they say is read off their report if one is promised, else off their output; where neither can be
 * read the exit code decides. Undefined when they were cut short: then they were not observed.
 */
export async function runTests(
  spec: TestRun,
  harness: Harness,
  namedTests: readonly string[],
): Promise<TestResults | undefined> {
  const { report, parse = true } = spec;
  const awaited = report === undefined || !parse ? undefined : await awaitReport(harness.workingDir, report);
  const options = { timeoutMs: spec.timeoutMs, env: { CI: '1' } };
  const outcome = await runCommand({ shell: spec.command }, options, harness);
  if (outcome.aborted) return undefined;
  if (!parse) return resultsOf(outcome, {}, report, namedTests);
  const reading = (await awaited?.read()) ?? { parsed: parseTestOutput(outcome.output) };
  return resultsOf(outcome, reading, report, namedTests);
}

function resultsOf(
  outcome: CommandOutcome,
  { parsed, problem }: ReportReading,
  report: string | undefined,
  namedTests: readonly string[],
): TestResults {
  const problems: readonly TestDetail[] = [
    ...(outcome.notStarted === undefined ? [] : [testDetail('tests', 'error', { error: outcome.notStarted })]),
    ...(problem === undefined ? [] : [testDetail(`report ${report}`, 'error', { error: problem })]),
  ];
  const { details, omitted } = keptDetails([...problems, ...(parsed?.details ?? [])], namedTests);
  const exitCode = exitCodeOf(outcome);
  // Who promised a report and has none has shown nothing by exiting with 0: whether the tests pass stays unknown.
  const isSilent = exitCode === 0 && parsed === undefined && problem !== undefined;
  return {
    source: 'harness',
    ...(exitCode === undefined || isSilent ? {} : { exitCode }),
    ...(outcome.timedOut ? { timedOut: true } : {}),
    ...(parsed === undefined
      ? {}
      : {
          framework: parsed.framework,
          total: parsed.total,
          passed: parsed.passed,
          failed: parsed.failed,
          skipped: parsed.skipped,
        }),
    ...(parsed === undefined && exitCode !== 0 ? { output: tailOf(outcome.output.trimEnd(), OUTPUT_CHARACTERS) } : {}),
    details,
    ...(omitted === 0 ? {} : { omittedDetails: omitted }),
    durationMs: outcome.durationMs,
  };
}

/** A death by signal is told as a shell does: a run that was killed is not green, whatever it printed before. */
function exitCodeOf({ exitCode, signal }: CommandOutcome): number | undefined {
  if (signal === undefined) return exitCode;
  return 128 + ((constants.signals as Readonly<Record<string, number>>)[signal] ?? 0);
}

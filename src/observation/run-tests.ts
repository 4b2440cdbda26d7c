import { constants } from 'node:os';
import { join } from 'node:path';
import { tailOf } from '../model/figures.js';
import type { TestsSpec } from '../model/run-spec.js';
import type { TestDetail, TestResults } from '../model/test-results.js';
import { askForNames, type NameRequest } from './ask-for-names.js';
import type { Harness } from './harness.js';
import { keptDetails } from './kept-details.js';
import { nameChanges, namesOf } from './name-digests.js';
import { parseCutOutput, parseTestOutput } from './parse-test-output.js';
import { gradeOf, isNamed, testDetail } from './parsed-tests.js';
import { type CommandOutcome, runCommand } from './run-command.js';
import { isTestLine } from './summary-line.js';
import { awaitReport, type ReportReading } from './test-report.js';

export interface TestRun extends TestsSpec {
  /** False: nothing is read, the exit code decides. */
  readonly parse?: boolean | undefined;
}

/** Of lines that count or name tests, wherever they are in a long output: enough for 100,000 tests. */
const KEPT_BYTES = 24 * 1024 * 1024;

/** Of tests that cannot be counted, this much of the end of their output is kept. */
const OUTPUT_CHARACTERS = 2000;

/**
 * What a result is compared with: the tests of the start, or nothing. `start`: it is the start itself, and the names of all its
 * tests are kept.
 */
export type ComparedWith = TestResults | 'start' | undefined;

/**
 * Runs the tests. What they say is read off their report if one is promised, else off their output; where neither can be
 * read the exit code decides. Undefined when they were cut short: then they were not observed.
 */
export async function runTests(
  spec: TestRun,
  harness: Harness,
  namedTests: readonly string[],
  comparedWith?: ComparedWith,
): Promise<TestResults | undefined> {
  const { command, report, parse = true } = spec;
  // The user's own command, as it is: nothing of what it prints is read, or a report names the tests.
  if (!parse || report !== undefined) {
    const read = await runOnce(spec, { command, env: {} }, harness);
    return read && resultsOf(read, spec, namedTests, comparedWith);
  }
  const request = askForNames(command, harness.environment, harness.workingDir);
  const isKnown = typeof comparedWith === 'object' && comparedWith.namesRefused === true;
  const asked = await runOnce(spec, isKnown ? { ...request, command } : request, harness);
  if (isKnown || !request.hasFlag || asked === undefined || !isUsageError(asked)) {
    return asked && resultsOf(asked, spec, namedTests, comparedWith);
  }
  const read = await runOnce(spec, { ...request, command }, harness);
  return read && { ...resultsOf(read, spec, namedTests, comparedWith), namesRefused: true };
}

/** A runner that does not know the flag says nothing of the tests. */
function isUsageError({ outcome, reading }: Run): boolean {
  return (
    reading.parsed === undefined && outcome.exitCode !== 0 && !outcome.timedOut && outcome.notStarted === undefined
  );
}

interface Run {
  readonly outcome: CommandOutcome;
  readonly reading: ReportReading;
  readonly addedTests: string | undefined;
}

/** Undefined when it was cut short. */
async function runOnce(
  { timeoutMs, report, parse = true }: TestRun,
  { command, env }: Pick<NameRequest, 'command' | 'env'>,
  harness: Harness,
): Promise<Run | undefined> {
  const awaited =
    report === undefined || !parse
      ? undefined
      : await awaitReport(harness.room?.writtenDir ?? harness.workingDir, report);
  // A compiled file may be of another source than the one next to it.
  const fresh = harness.room === undefined ? {} : { PYTHONPYCACHEPREFIX: join(harness.workingDir, '.pawl-pycache') };
  const options = { timeoutMs, env: { CI: '1', ...env, ...fresh }, isKept: isTestLine, keptBytes: KEPT_BYTES };
  const outcome = await runCommand({ shell: command }, options, harness);
  if (outcome.aborted) return undefined;
  const { addedTests } = harness.room ?? {};
  if (!parse) return { outcome, reading: {}, addedTests };
  return { outcome, reading: (await awaited?.read()) ?? { parsed: parseOf(outcome) }, addedTests };
}

function parseOf({ output, hasGap, hasLostKept }: CommandOutcome) {
  return hasGap ? parseCutOutput(output, !hasLostKept) : parseTestOutput(output);
}

function resultsOf(
  { outcome, reading: { parsed, problem }, addedTests }: Run,
  { report, parse }: TestRun,
  namedTests: readonly string[],
  comparedWith: ComparedWith,
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
    grade: gradeOf(parsed),
    ...(parse === false ? { exitCodeDecides: true } : {}),
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
    ...(parsed === undefined || !isNamed(parsed) ? {} : byName(withoutAdded(parsed.details, addedTests), comparedWith)),
    durationMs: outcome.durationMs,
  };
}

function withoutAdded(details: readonly TestDetail[], added: string | undefined): readonly TestDetail[] {
  return added === undefined ? details : details.filter(({ name }) => !name.toLowerCase().includes(added));
}

/** Every test by its name, as the record keeps it. */
function byName(details: readonly TestDetail[], comparedWith: ComparedWith): Pick<TestResults, 'names' | 'changes'> {
  if (comparedWith === 'start') {
    const names = namesOf(details);
    return names === undefined ? {} : { names };
  }
  if (comparedWith?.names === undefined) return {};
  const changes = nameChanges(details, comparedWith.names, comparedWith.details);
  return changes === undefined ? {} : { changes };
}

/** A death by signal is told as a shell does: a run that was killed is not green, whatever it printed before. */
function exitCodeOf({ exitCode, signal }: CommandOutcome): number | undefined {
  if (signal === undefined) return exitCode;
  return 128 + ((constants.signals as Readonly<Record<string, number>>)[signal] ?? 0);
}

import { count, list, plural } from './figures.js';
import { allPassed, failingNames, isFailing, type SomeTests, type TestResults, testsRan } from './test-results.js';

/** An added line that could fool the tests from the inside, as a hint for the reader of a result. Not a verdict. */
export interface Flag {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

/**
 * A test that must fail was added: the tests stay green with it, or these fail as soon as their file is built again. Or copies
 * of these that expect other values pass as well. Or these fail without what was left in the temporary folder and the home
 * folder, or where lines of the code cannot know of them.
 */
export interface Doubt {
  readonly kind: 'cannot fail' | 'any value' | 'old build' | 'temporary files' | 'knows tests';
  readonly tests?: readonly string[] | undefined;
  /** `src/sum.js:3 reads or writes tests`. */
  readonly lines?: readonly string[] | undefined;
}

/**
 * What the tests of the start say of the work. Recorded when a goal would be met: where tests, snapshots or the settings of
 * the test runner have changed, the versions of the start are run over the code as it is now.
 */
export interface OriginalTests {
  /** Tests and settings that differ from the start, the first of them. */
  readonly changed: readonly string[];
  /** All of them, where the list holds fewer. */
  readonly changedFiles?: number | undefined;
  /** Tests changed that may change: then no name is missed. */
  readonly mayChange?: true | undefined;
  /** The result of the original tests; absent when nothing changed, or when they could not be run. */
  readonly tests?: TestResults | undefined;
  /** Where they were run: over the same path, or in a copy. */
  readonly room?: 'overlay' | 'copy' | undefined;
  /** Why they could not be run. */
  readonly unusable?: string | undefined;
  /** Original files that the tests themselves changed while they ran. */
  readonly touched?: readonly string[] | undefined;
  /** Why a green result of the agent's tests shows nothing. */
  readonly doubt?: Doubt | undefined;
  readonly flags?: readonly Flag[] | undefined;
  readonly durationMs?: number | undefined;
}

/** Why work whose own tests pass is not done; undefined when nothing speaks against it. */
export function originalsProblem(
  original: OriginalTests,
  tests: TestResults,
  baseline: TestResults | undefined,
): string | undefined {
  const judged = original.tests ?? tests;
  const whose = original.tests === undefined ? '' : 'original ';
  if (original.tests !== undefined && !allPassed(original.tests)) return redText(original.tests);
  const { touched = [], doubt } = original;
  if (doubt !== undefined) return doubtText(doubt);
  if (touched.length > 0) return `the original tests were changed while they ran: ${list(touched)}`;
  const [before, ran] = [baseline === undefined ? undefined : testsRan(baseline), testsRan(judged)];
  if (original.tests !== undefined && before !== undefined && (ran ?? 0) < before) {
    return `${ran ?? 'none'} of the ${plural(before, 'original test')} ran`;
  }
  return original.mayChange === true || baseline === undefined ? undefined : namesProblem(judged, baseline, whose);
}

/** Tests of the start that ran, and that do not run now, or are skipped. Where not every test has a name, the known ones. */
export function namesProblem(tests: TestResults, baseline: TestResults, whose = ''): string | undefined {
  const { changes } = tests;
  if (changes === undefined) {
    const gone = notPassed(tests, testNames(baseline));
    return gone.length === 0 ? undefined : goneText({ count: gone.length, names: gone }, whose, 'failed');
  }
  const gone = [changes.missing, changes.skipped].filter((some) => some !== undefined);
  if (gone.length === 0) return undefined;
  const all = {
    count: gone.reduce((sum, { count: more }) => sum + more, 0),
    names: gone.flatMap(({ names }) => names),
  };
  const { added } = changes;
  return `${goneText(all, whose)}${added === undefined ? '' : `; new: ${someText(added)}`}`;
}

function goneText(gone: SomeTests, whose: string, before = 'ran'): string {
  const verb = gone.count === 1 ? 'does' : 'do';
  return `${plural(gone.count, `${whose}test`)} that ${before} before ${verb} not run now: ${someText(gone)}`;
}

/** The first names, and how many more there are. */
export function someText({ count: all, names }: SomeTests): string {
  if (names.length === 0) return `${plural(all, 'test')} whose names are not recorded`;
  const shown = names.slice(0, LISTED);
  return `${shown.join(', ')}${all > shown.length ? ` and ${count(all - shown.length)} more` : ''}`;
}

const LISTED = 5;

function doubtText({ kind, tests = [], lines = [] }: Doubt): string {
  if (kind === 'cannot fail') return 'the tests pass even with a test that must fail: they can no longer fail';
  if (kind === 'any value') {
    const [pass, they] = tests.length === 1 ? ['passes', 'it expects'] : ['pass', 'they expect'];
    return `${plural(tests.length, 'test')} that failed before ${pass} now whatever value ${they}: ${list(tests)}`;
  }
  if (kind === 'knows tests' || kind === 'temporary files') {
    const why =
      kind === 'knows tests'
        ? `because ${list(lines)}`
        : 'with what was left in the temporary folder or the home folder';
    if (tests.length === 0) return `the tests pass only ${why}`;
    const verb = tests.length === 1 ? 'passes' : 'pass';
    return `${plural(tests.length, 'test')} that failed before ${verb} only ${why}: ${list(tests)}`;
  }
  const [run, are] = tests.length === 1 ? ['does', 'its file is'] : ['do', 'their files are'];
  return `${plural(tests.length, 'test')} that failed before ${run} not pass when ${are} read again: ${list(tests)}`;
}

function redText(tests: TestResults): string {
  const names = failingNames(tests);
  if (tests.timedOut === true) return 'the original tests timed out';
  if (names.length > 0) {
    const failing = plural(tests.failed ?? names.length, 'original test');
    return `${failing} ${(tests.failed ?? names.length) === 1 ? 'does' : 'do'} not pass: ${list(names)}`;
  }
  if (tests.exitCode === 0) return 'none of the original tests ran';
  return `the original tests fail with exit code ${tests.exitCode ?? 'unknown'}`;
}

/** Tests that failed. A file or package that could not be run is not one: it need not be there when it can. */
function testNames({ details }: TestResults): readonly string[] {
  return details.filter((detail) => isFailing(detail) && detail.isSuite !== true).map(({ name }) => name);
}

/** Those of the names that are known not to have passed: skipped, or missing where every test is named. */
function notPassed({ details, total, omittedDetails }: TestResults, names: readonly string[]): readonly string[] {
  const statuses = new Map(details.map(({ name, status }) => [name, status]));
  const isNamed = total !== undefined && omittedDetails === undefined && details.length >= total && total > 0;
  return names.filter((name) => {
    const status = statuses.get(name);
    return status === undefined ? isNamed : status !== 'passed';
  });
}

/** What the checks of the original tests have shown, one after the other. */
export interface OriginalsSeen {
  /** Refusals in a row, with the same tests. */
  readonly refused: number;
  /** How often in a row they could not be run. */
  readonly unusable: number;
  /** Why, the last time. */
  readonly problem?: string | undefined;
  /** The tree that was checked last, and the result: the same tree is not checked twice. */
  readonly tree?: string | undefined;
  readonly last: OriginalTests;
}

export function originalsAfter(
  seen: OriginalsSeen | undefined,
  last: OriginalTests,
  problem: string | undefined,
  tree: string | undefined,
): OriginalsSeen {
  const isUnusable = last.unusable !== undefined;
  return {
    refused: problem === undefined || isUnusable ? 0 : problem === seen?.problem ? seen.refused + 1 : 1,
    unusable: isUnusable ? (seen?.unusable ?? 0) + 1 : 0,
    problem,
    tree,
    last,
  };
}

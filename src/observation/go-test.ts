import { type Fields, jsonObject, numberAt, textAt } from '../agents/agent-events.js';
import { isFailing, type TestDetail, type TestStatus } from '../model/test-results.js';
import { brokenSuite, countDetails, listedTests, type Reading, testDetail, unfinishedTests } from './parsed-tests.js';

const STATUS: ReadonlyMap<string, TestStatus> = new Map([
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
]);

/** One package: the tests that it named, by name, and how it ended. */
interface Package {
  readonly name: string;
  readonly tests: Map<string, TestDetail>;
  outcome: 'ok' | 'failed' | 'empty' | undefined;
}

/** `go test -json`. */
export function goEvents(lines: readonly string[]): Reading {
  const packages = new Map<string, Package>();
  const packageOf = (name: string): Package => {
    const known = packages.get(name) ?? { name, tests: new Map<string, TestDetail>(), outcome: undefined };
    packages.set(name, known);
    return known;
  };
  for (const line of lines) {
    const event = line.startsWith('{"') && line.includes('"Action"') ? jsonObject(line) : undefined;
    const [name, action] = [textAt(event, 'Package'), textAt(event, 'Action')];
    if (event !== undefined && name !== undefined && action !== undefined) take(packageOf(name), action, event);
  }
  if (packages.size === 0) return undefined;
  for (const name of brokenPackages(lines)) packageOf(name).outcome = 'failed';
  return goResults([...packages.values()]);
}

function take(target: Package, action: string, event: Fields): void {
  const test = textAt(event, 'Test');
  const status = STATUS.get(action);
  if (test === undefined) {
    if (action === 'fail') target.outcome = 'failed';
    if (action === 'pass' || action === 'skip') target.outcome ??= 'empty';
    return;
  }
  if (status === undefined) return;
  const seconds = numberAt(event, 'Elapsed');
  keep(target.tests, testDetail(test, status, { durationMs: seconds === undefined ? undefined : seconds * 1000 }));
}

/** Before Go 1.24 a package that does not compile is reported in plain text also with -json. */
function brokenPackages(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => /^FAIL\t(\S+) \[(?:build|setup) failed\]$/.exec(line)?.[1] ?? []);
}

/**
 * `go test`, plain or -v. Plain it names only failing tests: a package that is ok then counts as one test that passed, for how
 * many it has is not said.
 */
export function goSummary(lines: readonly string[]): Reading {
  const packages: Package[] = [];
  let tests = new Map<string, TestDetail>();
  let hasRun = false;
  for (const [index, line] of lines.entries()) {
    hasRun ||= line.startsWith('=== RUN   ');
    const test = testIn(line, lines[index + 1]);
    if (test !== undefined) keep(tests, test);
    const ended = packageIn(line);
    if (ended === undefined) continue;
    packages.push({ ...ended, tests });
    tests = new Map();
    hasRun = false;
  }
  if (packages.length === 0 && tests.size === 0) return undefined;
  if (tests.size > 0 || hasRun) packages.push({ name: '', tests, outcome: undefined });
  const results = goResults(packages);
  // Without -v it says nothing of the tests that pass in a package in which one fails.
  const isVerbose = lines.some((line) => line.startsWith('=== RUN   '));
  return isVerbose || results === undefined || results === 'unfinished' ? results : { ...results, isPartial: true };
}

/** With -count a test runs more than once, and failing once is failing. */
function keep(tests: Map<string, TestDetail>, test: TestDetail): void {
  const known = tests.get(test.name);
  if (known === undefined || !isFailing(known)) tests.set(test.name, test);
}

function testIn(line: string, next: string | undefined): TestDetail | undefined {
  const [, word = '', name, seconds] = /^ *--- (PASS|FAIL|SKIP): (\S+) \(([\d.]+)s\)$/.exec(line) ?? [];
  const status = STATUS.get(word.toLowerCase());
  if (name === undefined || status === undefined) return undefined;
  const error = status === 'failed' && !next?.includes('---') ? next : undefined;
  return testDetail(name, status, { error, durationMs: Number(seconds) * 1000 });
}

function packageIn(line: string): Pick<Package, 'name' | 'outcome'> | undefined {
  const [, word, name, rest = ''] = /^(ok {2}|FAIL|\? {3})\t(\S+)[\t ](.*)$/.exec(line) ?? [];
  if (word === undefined || name === undefined) return undefined;
  if (word === 'FAIL') return { name, outcome: 'failed' };
  return { name, outcome: word.startsWith('?') || rest.includes('[no tests to run]') ? 'empty' : 'ok' };
}

function goResults(packages: readonly Package[]): Reading {
  const details = packages.flatMap((one) =>
    leaves([...one.tests.values()]).map((test) => (one.name === '' ? test : { ...test, file: one.name })),
  );
  const unnamed = packages.flatMap(unnamedOutcome);
  const all = [...details, ...unnamed];
  if (packages.some((one) => one.outcome === undefined)) return unfinishedTests('go', all);
  return listedTests('go', countDetails(all), [...details, ...unnamed.filter(isFailing)]);
}

/** A package that failed without a failing test did not compile, or died. */
function unnamedOutcome({ name, tests, outcome }: Package): readonly TestDetail[] {
  const named = [...tests.values()];
  if (outcome === 'failed' && !named.some(isFailing)) return [brokenSuite(name)];
  return outcome === 'ok' && named.length === 0 ? [testDetail(name, 'passed')] : [];
}

/** A test with subtests is what they are, and counts itself only when it failed and none of them did. */
function leaves(tests: readonly TestDetail[]): readonly TestDetail[] {
  const parents = new Set<string>();
  const blamed = new Set<string>();
  for (const test of tests) {
    const parent = test.name.slice(0, Math.max(0, test.name.lastIndexOf('/')));
    parents.add(parent);
    if (isFailing(test)) blamed.add(parent);
  }
  return tests.filter((test) => !parents.has(test.name) || (isFailing(test) && !blamed.has(test.name)));
}

import { plainLines } from './plain-lines.js';

/** Lines in which a test framework says how a whole run went, or that one begins, framework by framework. */
const FORMS: readonly RegExp[] = [
  // node:test, TAP
  /^[ℹ#] (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) +[\d.]+$/,
  /^1\.\.\d+(?: |$)|^TAP version \d+$|^ *Bail out!/,
  // vitest
  /^ *(?:Test Files|Tests|Errors|Type Errors) {2,}\S|^ *RUN +v\d|^⎯+ Failed Suites \d+ ⎯+$|^No test files found/,
  // jest
  /^(?:Test Suites|Tests): +\d.* total$|^No tests found, exiting|^ *● Test suite failed to run$/,
  // cargo nextest, cargo
  /^ *Summary \[|^ *Starting \d+ tests? across |^running \d+ tests?(?: from .*)?$|^test result: /,
  // bun, deno
  /^bun test v\d|^ *\d+ (?:pass|fail|skip|todo|filtered out|errors?|snapshots?|expect\(\) calls)\b|^Ran \d+ tests? /,
  /^(?:ok|FAILED) \| \d+ passed/,
  // ctest
  /^Test project |^\d+% tests passed, |^The following tests (?:did not run|FAILED):$|^No tests were found!!!$|^\t? *\d+ - .* \((?:Skipped|Disabled|Not Run)\)/,
  // dotnet
  /^ *(?:Passed|Failed|Skipped)! +- |^Test summary: |^Total tests: \d+$|^ *(?:Passed|Failed|Skipped): \d+$|^Test Run Failed\.$/,
  // phpunit
  /^PHPUnit \d|^OK \(\d+ tests?, |^(?:FAILURES|ERRORS|WARNINGS)!|^OK, but |^Tests: \d+, Assertions: |^No tests executed!$/,
  // rspec, mocha
  /^Finished in \d|^[\d,]+ examples?, |^ {2}\d+ (?:passing \(.*\)|failing|pending)$/,
  // pytest, unittest
  /^=+ [^=]* =+$|^(?:\d+ [a-z]+, )*\d+ [a-z]+ in \d[\d.]*s/,
  /^(?:OK|FAILED|NO TESTS RAN)(?: \(.*\))?$/,
];

/** Whether a line that is left out of a long output has to be kept: without it the tests cannot be counted. */
export function isSummaryLine(text: string): boolean {
  if (text.length > 1000) return false;
  const [line = ''] = plainLines(text);
  return FORMS.some((form) => form.test(line));
}

/** Lines in which a runner names one test, for those that list them all. */
const NAMED: readonly RegExp[] = [
  // go, TAP, node:test
  /^ *--- (?:PASS|FAIL|SKIP): |^(?:ok {2}|FAIL|\? {3})\t|^\{"Time":.*"Action":"(?:pass|fail|skip)"/,
  /^ *(?:not )?ok \d|^ *# Subtest: |^ *---$|^ *\.\.\.$|^ *type: 'suite'$|^ *[✔✖﹣▶] /,
  // pytest, unittest
  /^(?:PASSED|FAILED|ERROR|XFAIL|XPASS) \S+\.py\b|\.py::.* (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b/,
  /^\w+ \([\w.]+\)|\.\.\. (?:ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b/,
  // vitest
  /^ *[✓×✗↓□] \S.*\.[cm]?[jt]sx? > /,
  // cargo, nextest, deno
  /^test .* \.\.\. (?:ok|FAILED|ignored)\b|^ *(?:PASS|FAIL|SKIP|FLAKY) .*\[ *[\d.]+s\]/,
];

/** A line of a summary, or one that names a test. */
export function isTestLine(text: string): boolean {
  if (isSummaryLine(text)) return true;
  if (text.length > 1000) return false;
  const [line = ''] = plainLines(text);
  return NAMED.some((form) => form.test(line));
}

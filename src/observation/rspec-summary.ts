import type { TestDetail } from '../model/test-results.js';
import { wholeNumber } from './counted-words.js';
import { addCounts, distinct, parsedTests, type Reading, type TestCounts, testDetail } from './parsed-tests.js';

const SUMMARY =
  /^([\d,]+) examples?, ([\d,]+) failures?(?:, ([\d,]+) pending)?(?:, ([\d,]+) errors? occurred outside of examples)?$/;

/** rspec. Its summary is the line below "Finished in"; a file that does not load is a failure. */
export function rspecSummary(lines: readonly string[]): Reading {
  const summaries = lines.flatMap((line, index) =>
    /^Finished in \d/.test(line) ? summaryIn(lines[index + 1] ?? '') : [],
  );
  if (summaries.length === 0) return undefined;
  return parsedTests('rspec', addCounts(summaries), distinct(lines.flatMap(failureIn)));
}

function summaryIn(line: string): readonly TestCounts[] {
  const match = SUMMARY.exec(line);
  if (match === null) return [];
  const [examples = 0, failures = 0, pending = 0, errors = 0] = match.slice(1).map(wholeNumber);
  return [{ passed: Math.max(0, examples - failures - pending), failed: failures + errors, skipped: pending }];
}

/** "rspec ./sum_spec.rb:2 # Sum adds" */
function failureIn(line: string): readonly TestDetail[] {
  const name = /^rspec \S+ # (.*)$/.exec(line)?.[1];
  return name === undefined ? [] : [testDetail(name, 'failed')];
}

import type { TestDetail, TestStatus } from '../model/test-results.js';
import { wholeNumber } from './counted-words.js';
import { addCounts, distinct, parsedTests, type Reading, type TestCounts, testDetail } from './parsed-tests.js';

const PER_ASSEMBLY = /^ *(?:Passed|Failed|Skipped)! +- Failed: +(\d+), Passed: +(\d+), Skipped: +(\d+), Total: +\d+,/;
const TOTAL = /^Test summary: total: \d+, failed: (\d+), succeeded: (\d+), skipped: (\d+),/;
const STATUS: Readonly<Record<string, TestStatus>> = { Passed: 'passed', Failed: 'failed', Skipped: 'skipped' };

/** `dotnet test`: one line for each assembly, one for all in newer terminals, or a table in older ones. */
export function dotnetSummary(lines: readonly string[]): Reading {
  const forms = [
    lines.flatMap((line) => lineCounts(TOTAL, line)),
    lines.flatMap((line) => lineCounts(PER_ASSEMBLY, line)),
    lines.flatMap((_, index) => tableAt(lines, index)),
  ];
  const summaries = forms.find((form) => form.length > 0);
  if (summaries !== undefined) return parsedTests('dotnet', addCounts(summaries), distinct(lines.flatMap(testIn)));
  return lines.some((line) => /^No test (?:is available in|matches the given testcase filter) /.test(line))
    ? parsedTests('dotnet', { passed: 0, failed: 0, skipped: 0 }, [])
    : undefined;
}

function lineCounts(form: RegExp, line: string): readonly TestCounts[] {
  const match = form.exec(line);
  if (match === null) return [];
  const [failed = 0, passed = 0, skipped = 0] = match.slice(1).map(wholeNumber);
  return [{ passed, failed, skipped }];
}

/** "Total tests: 5", then a line for each outcome that there was. */
function tableAt(lines: readonly string[], index: number): readonly TestCounts[] {
  const total = /^Total tests: (\d+)$/.exec(lines[index] ?? '')?.[1];
  if (total === undefined) return [];
  const rows = new Map(
    lines.slice(index + 1, index + 4).map((line) => {
      const [, word, count] = /^ *(Passed|Failed|Skipped): (\d+)$/.exec(line) ?? [];
      return [word, wholeNumber(count)];
    }),
  );
  const isRed = lines.slice(Math.max(0, index - 3), index).includes('Test Run Failed.');
  const [passed, failed] = [rows.get('Passed') ?? 0, Math.max(rows.get('Failed') ?? 0, isRed ? 1 : 0)];
  return [{ passed, failed, skipped: Math.max(rows.get('Skipped') ?? 0, wholeNumber(total) - passed - failed) }];
}

/** "  Failed Shop.SumTests.Adds [12 ms]" */
function testIn(line: string): readonly TestDetail[] {
  const [, outcome = '', name, duration] = /^ {2}(Passed|Failed|Skipped) (\S.*) \[(?:< )?(\d+) m?s\]$/.exec(line) ?? [];
  if (name === undefined) return [];
  return [
    testDetail(name, STATUS[outcome] ?? 'failed', {
      durationMs: Number(duration) * (line.endsWith(' ms]') ? 1 : 1000),
    }),
  ];
}

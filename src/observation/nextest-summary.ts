import type { TestDetail } from '../model/test-results.js';
import { countedWords, sumOf, wholeNumber } from './counted-words.js';
import {
  addCounts,
  distinct,
  parsedTests,
  type Reading,
  type TestCounts,
  testDetail,
  unfinishedTests,
} from './parsed-tests.js';

const SUMMARY = /^ *Summary \[ *[\d.]+s\] (\d+)(?:\/(\d+))? tests? run: (.*)$/;
const WORDS: ReadonlySet<string> = new Set(['passed', 'failed', 'timed out', 'exec failed', 'skipped']);
const OUTCOME =
  /^ *(PASS|LEAK|FLAKY \d+\/\d+|FAIL|LEAK-FAIL|TIMEOUT|ABORT|SIG[A-Z]+|XFAIL|SKIP) \[ *([\d.]+)s\] (?:\( *\d+\/\d+\) )?(.*)$/;

/** `cargo nextest run`. A retried test has the outcome of its last try. */
export function nextestSummary(lines: readonly string[]): Reading {
  const starts = lines.filter((line) => /^ *Starting \d+ tests? across /.test(line)).length;
  const summaries = lines.flatMap(summaryIn);
  const details = distinct(lines.flatMap(outcomeIn));
  const sum = addCounts(summaries);
  if (summaries.length > 0 && (summaries.length >= starts || sum.failed > 0))
    return parsedTests('nextest', sum, details);
  return starts === 0 ? undefined : unfinishedTests('nextest', details);
}

/** "2/5 tests run" was cancelled: the rest counts as not run, and as red should nothing else say so. */
function summaryIn(line: string): readonly TestCounts[] {
  const [, ran, planned, parts] = SUMMARY.exec(line) ?? [];
  const words = parts === undefined ? undefined : countedWords(withoutRemarks(parts), ', ', WORDS);
  if (words === undefined) return [];
  const passed = sumOf(words, 'passed');
  const cut = planned === undefined ? 0 : Math.max(0, wholeNumber(planned) - wholeNumber(ran));
  const failed = sumOf(words, 'failed', 'timed out', 'exec failed');
  if (passed + failed < wholeNumber(ran)) return [];
  return [{ passed, failed: cut > 0 ? Math.max(1, failed) : failed, skipped: sumOf(words, 'skipped') + cut }];
}

/** "4 passed (1 slow, 1 flaky)" */
function withoutRemarks(parts: string): string {
  return parts.replaceAll(/ \([^()]*\)/g, '');
}

function outcomeIn(line: string): readonly TestDetail[] {
  const [, outcome, seconds, name] = OUTCOME.exec(line) ?? [];
  if (outcome === undefined || name === undefined) return [];
  const durationMs = Number(seconds) * 1000;
  if (outcome === 'SKIP') return [testDetail(name, 'skipped')];
  return [testDetail(name, /^(?:PASS|LEAK$|FLAKY|XFAIL)/.test(outcome) ? 'passed' : 'failed', { durationMs })];
}

import type { TestDetail, TestStatus } from '../model/test-results.js';
import { countedWords, sumOf } from './counted-words.js';
import {
  addCounts,
  distinct,
  parsedTests,
  type Reading,
  type TestCounts,
  testDetail,
  unfinishedTests,
} from './parsed-tests.js';

const WORDS: ReadonlySet<string> = new Set(['passed', 'failed', 'ignored', 'measured', 'filtered out']);
const STATUS: Readonly<Record<string, TestStatus>> = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' };

/** `deno test` has one summary for all files: files announced below it belong to a run that has none yet. */
export function denoSummary(lines: readonly string[]): Reading {
  const found = lines.map(summaryIn);
  const summaries = found.filter((summary) => summary !== undefined);
  const lastFile = lines.findLastIndex((line) => /^running \d+ tests? from /.test(line));
  const details = distinct(lines.flatMap(testIn));
  const sum = addCounts(summaries);
  const isWhole = found.findLastIndex((summary) => summary !== undefined) > lastFile;
  if (summaries.length > 0 && (isWhole || sum.failed > 0)) return parsedTests('deno', sum, details);
  if (lastFile >= 0) return unfinishedTests('deno', details);
  return lines.includes('error: No test modules found')
    ? parsedTests('deno', { passed: 0, failed: 0, skipped: 0 }, [])
    : undefined;
}

/** "FAILED | 1 passed (2 steps) | 2 failed (1 step) | 1 ignored (21ms)" */
function summaryIn(line: string): TestCounts | undefined {
  const [, verdict, parts] = /^(ok|FAILED) \| (\d+ passed.*) \([^()]*\)$/.exec(line) ?? [];
  const words = parts === undefined ? undefined : countedWords(parts.replaceAll(/ \(\d+ steps?\)/g, ''), ' | ', WORDS);
  if (words === undefined) return undefined;
  const failed = sumOf(words, 'failed');
  const counts = { passed: sumOf(words, 'passed'), skipped: sumOf(words, 'ignored') };
  return { ...counts, failed: verdict === 'FAILED' ? Math.max(1, failed) : failed };
}

/** Steps are indented: they are part of their test. */
function testIn(line: string): readonly TestDetail[] {
  const [, name, outcome = '', rest = ''] = /^(\S.*) \.\.\. (ok|FAILED|ignored) \((.*)\)$/.exec(line) ?? [];
  const status = STATUS[outcome];
  if (name === undefined || status === undefined) return [];
  const milliseconds = /^(\d+)ms$/.exec(rest)?.[1];
  return [testDetail(name, status, { durationMs: milliseconds === undefined ? undefined : Number(milliseconds) })];
}

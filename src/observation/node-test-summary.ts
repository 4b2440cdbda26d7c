import { isFailing, type TestDetail, type TestStatus } from '../model/test-results.js';
import {
  addCounts,
  distinct,
  listedOnce,
  parsedTests,
  type Reading,
  type TestCounts,
  testDetail,
  unfinishedTests,
} from './parsed-tests.js';
import { fileOr } from './node-tap-list.js';
import { nestedName } from './test-tree.js';

const STATUS: Readonly<Record<string, TestStatus>> = { '✔': 'passed', '✖': 'failed', '﹣': 'skipped' };

/** The spec reporter of node:test ends with one line for each count. A cancelled test did not pass. */
export function nodeTestSummary(lines: readonly string[]): Reading {
  const summaries = lines.flatMap((line, index) => (/^ℹ tests \d+$/.test(line) ? summaryAt(lines, index) : []));
  const { details: listed, parents } = listedIn(lines);
  if (summaries.length > 0) {
    const counts = addCounts(summaries);
    // Tests with subtests count as well, but look like suites, which do not.
    const isAll = listed.length + parents.length === counts.passed + counts.failed + counts.skipped;
    return parsedTests('node:test', counts, listedOnce(isAll ? [...listed, ...parents] : listed, [], counts));
  }
  const details = distinct(listed);
  return details.some(isFailing) ? unfinishedTests('node:test', details) : undefined;
}

function summaryAt(lines: readonly string[], index: number): readonly TestCounts[] {
  const counts = new Map<string, number>();
  for (const line of lines.slice(index, index + 8)) {
    const [, word, count] = /^ℹ ([a-z_]+) ([\d.]+)$/.exec(line) ?? [];
    if (word === undefined) break;
    counts.set(word, Number(count));
  }
  const countOf = (word: string) => counts.get(word) ?? 0;
  if (!counts.has('pass') || !counts.has('fail') || !counts.has('duration_ms')) return [];
  const failed = countOf('fail') + countOf('cancelled');
  return [{ passed: countOf('pass'), failed, skipped: countOf('skipped') + countOf('todo') }];
}

/** "▶ list" opens a group, and its own outcome closes it: that is a suite, or a test with subtests. */
function listedIn(lines: readonly string[]): {
  readonly details: readonly TestDetail[];
  readonly parents: readonly TestDetail[];
} {
  const groups: { readonly indent: number; readonly name: string; readonly path: string }[] = [];
  const details: TestDetail[] = [];
  const parents: TestDetail[] = [];
  let isRepeated = false;
  for (const [index, line] of lines.entries()) {
    if (/^ℹ tests \d+$/.test(line)) isRepeated = true;
    const [, space = '', mark = '', rest = ''] = /^( *)([▶✔✖﹣]) (.*)$/.exec(line) ?? [];
    if (mark === '') continue;
    const duration = /^(.*) \(([\d.]+)ms\)(?: # (.*))?$/.exec(rest);
    if (mark === '▶' && duration === null) {
      isRepeated = false;
      while ((groups.at(-1)?.indent ?? -1) >= space.length) groups.pop();
      groups.push({ indent: space.length, name: rest, path: nestedName(groups.at(-1)?.path, rest) });
      continue;
    }
    const [, name = '', milliseconds, remark] = duration ?? [];
    while ((groups.at(-1)?.indent ?? -1) > space.length) groups.pop();
    const isGroup = groups.at(-1)?.indent === space.length && groups.pop()?.name === name;
    if (duration === null || isRepeated) continue;
    const status = /^todo\b/i.test(remark ?? '') ? 'skipped' : (STATUS[mark] ?? 'skipped');
    const error = status === 'failed' ? lines[index + 1] : undefined;
    const detail = testDetail(nestedName(groups.at(-1)?.path, name), status, {
      error,
      durationMs: Number(milliseconds),
    });
    (isGroup ? parents : details).push(status === 'failed' ? fileOr(detail) : detail);
  }
  return { details, parents };
}

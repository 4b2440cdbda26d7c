import { describe, expect, it } from 'vitest';
import {
  baseline,
  begin,
  type Draft,
  end,
  iteration,
  record,
  started,
  tests,
  trees,
  used,
} from '../../test/support/record.js';
import type { TestDetail } from '../model/test-results.js';
import { recordingTerminal } from '../../test/support/terminal.js';
import { statisticsLines } from '../views/text/statistics-lines.js';
import { createRunStatistics } from './run-statistics.js';
import { summariseRuns } from './statistics.js';

function statisticsOf(...drafts: readonly Draft[]) {
  const reading = createRunStatistics();
  for (const event of record(drafts)) reading.see(event);
  return reading.end();
}

const goal: Draft = { type: 'run-ended', state: 'completed', class: 'goal', reasons: [] };
const limit: Draft = { type: 'run-ended', state: 'stopped', class: 'limit', reasons: [] };
const failing = (...names: readonly string[]): readonly TestDetail[] =>
  names.map((name) => ({ name, status: 'failed' }));

describe('what one run took', () => {
  it('was wasted when it came after the last progress', () => {
    const { costUsd, wastedUsd } = statisticsOf(
      started(),
      ...iteration(1, trees('a', 'b')),
      ...iteration(2, trees('b', 'b')),
      ...iteration(3, trees('b', 'b')),
      limit,
    );
    expect(costUsd).toBeCloseTo(0.3);
    expect(wastedUsd).toBeCloseTo(0.2);
  });

  it('was not wasted when it led to the goal', () => {
    expect(statisticsOf(started(), ...iteration(1, trees('a', 'a')), goal)).toMatchObject({
      wastedUsd: 0,
      class: 'goal',
    });
  });

  it('names what reviews spent of it, apart and in words', () => {
    const review = (usd: number) => used({ costUsd: usd, totalTokens: 1 }, { id: `r${usd}`, review: true });
    const reviewed = statisticsOf(started(), ...iteration(1, trees('a', 'b')), review(0.25), goal);
    const other = statisticsOf(started(), ...iteration(1, trees('a', 'b')), goal);
    expect([reviewed.reviewsUsd, reviewed.costUsd]).toEqual([0.25, 0.35]);
    expect(other.reviewsUsd).toBeUndefined();
    const all = summariseRuns([reviewed, other, reviewed]);
    expect(all.reviews).toEqual({ usd: 0.5, runs: 2 });
    const lines = (statistics: typeof all) => statisticsLines(statistics, '.', recordingTerminal(80)).join('\n');
    expect(lines(all)).toMatch(/cost +\$0\.80, \$0\.50 of it for reviews in 2 runs\n/);
    expect(lines(summariseRuns([other]))).not.toContain('review');
  });

  it('is unknown, and not nothing, when nobody looked or told', () => {
    expect(statisticsOf(started(), ...iteration(1), limit).wastedUsd).toBeUndefined();
    const untold = statisticsOf(started(), begin(1), end(1, { observation: trees('a', 'b') }), limit);
    expect(untold).toMatchObject({ costUsd: undefined, wastedUsd: undefined });
  });

  it('counts what was waited for, also when the wait ended with the process', () => {
    const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString();
    const { waitedMs } = statisticsOf(
      started(),
      { type: 'waiting-started', for: 'usage-limit', at: at(1) },
      { type: 'waiting-ended', at: at(11) },
      { type: 'waiting-started', for: 'usage-limit', at: at(20) },
      { type: 'run-resumed', cause: 'operator', at: at(50) },
      { type: 'waiting-started', for: 'approval', at: at(51) },
      { ...limit, at: at(52) },
    );
    expect(waitedMs).toEqual({ 'usage-limit': 40 * 60_000, approval: 60_000 });
  });

  it('counts an error once, although the end of the iteration names it again', () => {
    const error: Draft = { type: 'error-seen', kind: 'other', message: 'no space 1', fingerprint: 'no space <n>' };
    const { errors } = statisticsOf(
      started(),
      begin(1),
      error,
      end(1, { outcome: 'failed', error: 'no space 1' }),
      begin(2),
      end(2, { outcome: 'failed', error: 'no space 2' }),
    );
    expect(errors).toEqual([{ fingerprint: 'no space <n>', message: 'no space 2', count: 2 }]);
  });
});

describe('a flaky test', () => {
  it('passed and failed on the same tree', () => {
    const named = (status: 'passed' | 'failed') => [{ name: 'flips', status }] as const;
    const { flakyTests, isFlaky } = statisticsOf(
      started(),
      baseline({ tree: 'a', tests: tests(2, 0, { details: named('passed') }) }),
      ...iteration(1, { ...trees('a', 'a'), tests: tests(1, 1, { details: named('failed') }) }),
    );
    expect({ flakyTests, isFlaky }).toEqual({ flakyTests: ['flips'], isFlaky: true });
  });

  it('is found where only failing tests are named', () => {
    const { flakyTests } = statisticsOf(
      started(),
      ...iteration(1, { ...trees('a', 'b'), tests: tests(8, 2, { details: failing('one', 'two') }) }),
      ...iteration(2, { ...trees('b', 'b'), tests: tests(9, 1, { details: failing('two') }) }),
    );
    expect(flakyTests).toEqual(['one']);
  });

  it('is not one that was fixed, removed, or left out of the details', () => {
    const { flakyTests, isFlaky } = statisticsOf(
      started(),
      ...iteration(1, { ...trees('a', 'b'), tests: tests(8, 2, { details: failing('one', 'two') }) }),
      ...iteration(2, { ...trees('b', 'c'), tests: tests(9, 1, { details: failing('two') }) }),
      ...iteration(3, { ...trees('c', 'd'), tests: tests(0, 5, { details: failing('three') }) }),
      ...iteration(4, { ...trees('d', 'd'), tests: tests(0, 5, { details: failing('four') }) }),
    );
    expect({ flakyTests, isFlaky }).toEqual({ flakyTests: [], isFlaky: false });
  });

  it('shows when a goal is confirmed', () => {
    const confirmations = [{ tests: tests(1, 1, { details: failing('flips') }) }];
    const looked = { tests: tests(2, 0, { details: [] }), confirmations };
    expect(statisticsOf(started(), ...iteration(1, looked)).flakyTests).toEqual(['flips']);
  });
});

describe('what all runs took', () => {
  it('is summed over what is known, and says what is not', () => {
    const known = statisticsOf(started(), ...iteration(1, trees('a', 'b')), goal);
    const untold = statisticsOf(started(), begin(1), end(1), limit);
    const broken = statisticsOf(started(), { type: 'run-ended', state: 'error', reasons: [], error: 'x' });
    const open = statisticsOf(started(), begin(1), used({ costUsd: 1, totalTokens: 1 }, { id: 'x' }));
    expect(summariseRuns([known, untold, broken, open])).toMatchObject({
      runs: 4,
      outcomes: { goal: 1, limit: 1, error: 1, unfinished: 1 },
      cost: { usd: 1.1, knownRuns: 3, unknownRuns: 1 },
      goals: 1,
      costPerGoalUsd: 1.1,
      wasted: { usd: 0, knownRuns: 1, unknownRuns: 3 },
    });
  });

  it('keeps every error, and counts the flaky runs in which no test was named', () => {
    const errors = Array.from({ length: 12 }, (_, index) => ({
      fingerprint: `e${index}`,
      message: `e${index}`,
      count: 1,
    }));
    const quiet = statisticsOf(started());
    const named = { ...quiet, isFlaky: true, flakyTests: ['a'] };
    const all = summariseRuns([{ ...quiet, errors, isFlaky: true }, named]);
    expect(all.errors).toHaveLength(12);
    expect(all).toMatchObject({ flakyRuns: 2, flakyUnnamedRuns: 1 });
    const text = statisticsLines(all, '.', recordingTerminal(80)).join('\n');
    expect(text).toContain('and 2 more');
    expect(text).toMatch(/\b1 run\b.*same tree/);
  });

  it('is nothing of nothing', () => {
    expect(summariseRuns([])).toMatchObject({ runs: 0, costPerGoalUsd: undefined, errors: [], flakyTests: [] });
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { RunEvent } from '../../src/model/run-event.js';
import { journalPath } from '../corpus/journal-path.js';
import { type Comparison, comparisonTable, compareSweep, type Corpus, missesText } from '../corpus/label-table.js';
import { LABELS } from '../corpus/labels.js';

const GUIDE = new URL('../../docs/guide/looking-back.md', import.meta.url);
const SWEEPS = ['no_progress: 2..10', 'test_failure_streak: 2..14/2', 'max_cost: $2..$20/$3'];
/** The default of each, or what people begin with: its misses are named. */
const NAMED: Readonly<Record<string, string>> = { no_progress: '5', test_failure_streak: '8', max_cost: '$11' };

const corpus: Corpus = {
  labels: LABELS,
  runs: Object.keys(LABELS).map((name) => ({
    name,
    events: readFileSync(journalPath(name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent),
  })),
};

function sectionOf(sweep: string, rows: readonly Comparison[]): string {
  const named = rows.find(({ value }) => value === NAMED[sweep.split(':')[0] ?? '']);
  return `\n${comparisonTable(sweep, rows)}\n\n${named === undefined ? '' : `${missesText(named)}\n\n`}`;
}

it.each(SWEEPS)('%s is compared in the guide with what a person would have done, misses shown', (sweep) => {
  const rows = compareSweep(sweep, corpus);
  const name = sweep.split(':')[0] ?? '';
  const place = new RegExp(`(?<=<!-- sweep ${name} -->\\n)[^]*?(?=<!-- /sweep -->)`);
  const guide = readFileSync(GUIDE, 'utf8');
  const section = sectionOf(sweep, rows);
  if (process.env['PAWL_UPDATE'] === '1')
    writeFileSync(
      GUIDE,
      guide.replace(place, () => section),
    );
  else expect(guide.match(place)?.[0]).toBe(section);
  // No threshold fits every run: a table without misses is wrong.
  for (const { tooEarly, never } of rows) expect(tooEarly.length + never.length).toBeGreaterThan(0);
});

it('a higher threshold never stops more, and never misses more goals', () => {
  for (const sweep of SWEEPS) {
    const rows = compareSweep(sweep, corpus);
    for (const [index, row] of rows.slice(1).entries()) {
      const before = rows[index];
      expect(row.goalsMissed).toBeLessThanOrEqual(before?.goalsMissed ?? 0);
      expect(before?.tooEarly).toEqual(expect.arrayContaining([...row.tooEarly]));
      expect(row.never).toEqual(expect.arrayContaining([...(before?.never ?? [])]));
    }
  }
});

it('every run of the corpus has a label', () => {
  const [row] = compareSweep('no_progress: 2', corpus);
  const people = Object.values(LABELS).filter(({ stopAfter }) => stopAfter !== null).length;
  expect((row?.before ?? 0) + (row?.same ?? 0) + (row?.after ?? 0) + (row?.never.length ?? 0)).toBe(people);
});

import { describe, expect, it } from 'vitest';
import { baseline, iteration, record, started, tests, trees } from '../../../test/support/record.js';
import { recordingTerminal } from '../../../test/support/terminal.js';
import { reduce } from '../../model/reduce.js';
import { INITIAL_STATE } from '../../model/run-state.js';
import { tableHead, tableLines } from './iteration-table.js';
import { judgementLines } from './judgement-lines.js';

const DRAFTS = [
  started(),
  baseline({ tests: tests(0, 3) }),
  ...iteration(1, { tests: tests(2, 1), ...trees('a', 'b') }, { outcome: 'timed-out' }),
];

function tableAt(columns: number): readonly string[] {
  const terminal = recordingTerminal(columns);
  let state = INITIAL_STATE;
  const lines = record(DRAFTS).flatMap((event) => {
    const before = state;
    state = reduce(before, event);
    return tableLines(event, before, state, terminal);
  });
  return [...tableHead(terminal), ...lines];
}

describe('a terminal of 40 columns', () => {
  it('has a sentence for each iteration instead of a row that would not fit', () => {
    expect(tableAt(40)).toEqual([
      'before: 0 of 3 tests pass',
      'iteration 1 timed out in 1s, 2 of 3',
      '  tests pass (+2), 1 file, $0.10 so far',
    ]);
    expect(tableAt(80)[0]).toMatch(/^ +outcome +took +tests +changed +cost so far$/);
    for (const line of tableAt(80)) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('has shorter bars, so that sentences keep their words whole', () => {
    const judgement = {
      path: 'stop.limits[0]',
      class: 'limit',
      status: 'not-met',
      progress: 0.5,
      sentence: '13 of 25 iterations',
    } as const;
    expect(judgementLines(judgement, recordingTerminal(40))).toEqual(['  limit    ████░░░░ 13 of 25 iterations']);
    expect(judgementLines(judgement, recordingTerminal(60))[0]).toContain(`${'█'.repeat(8)}${'░'.repeat(8)}`);
  });
});

import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, iteration, started, stateAfter } from '../../test/support/record.js';
import { costSoFar, costText, spendText, wholeCost } from './spend-text.js';

const RAISED: Draft = { type: 'limit-extended', limit: { type: 'max_cost', usd: 9 }, by: 'resume' };

describe('the cost of a run in a word', () => {
  it.each<[string, readonly Draft[], string]>([
    ['is nothing before anything has run', [], '$0.00'],
    ['is a sum', iteration(1), '$0.10'],
    ['is not $0.00 while the first iteration has told nothing', [begin(1)], 'unknown'],
    ['is not $0.00 when the agent tells nothing', [begin(1), end(1)], 'unknown'],
    ['is not $0.00 when an operator has accepted that', [begin(1), end(1), RAISED], 'unknown'],
    ['is at least what was told since', [begin(1), end(1), RAISED, ...iteration(2)], '≥ $0.10'],
    ['is at least what was told before', [...iteration(1), begin(2)], '≥ $0.10'],
  ])('%s', (_, drafts, text) => {
    const state = stateAfter(started(), ...drafts);
    expect(costText(state)).toBe(text);
    expect(wholeCost(state) === undefined).toBe(!text.startsWith('$'));
  });

  it('is marked as an estimate in every form, where an iteration died before it reported', () => {
    const crashed = [begin(2), end(2, { outcome: 'interrupted', interruption: 'crash' })];
    const state = stateAfter(started(), ...iteration(1), ...crashed);
    expect(costText(state)).toBe('~$0.20');
    expect(costSoFar(state)).toBe('~$0.20');
    expect(spendText(state)).toMatch(/^~\$0\.20, .* \(1 iteration estimated\)$/);
  });

  it('does not forget in the long form what an operator has accepted', () => {
    expect(spendText(stateAfter(started(), begin(1), end(1), RAISED))).toMatch(/^unknown: the agent /);
    const later = stateAfter(started(), begin(1), end(1), RAISED, ...iteration(2));
    expect(spendText(later)).toMatch(/^≥ \$0\.10, ≥ 110 tokens \(1 /);
    expect(costSoFar(later)).toBe('≥ $0.10');
    expect(spendText(stateAfter(started(), begin(1)))).toBe('not known yet');
  });

  it('is at least what is known while an iteration that told nothing has been accepted by nobody', () => {
    const silentFirst = stateAfter(started(), begin(1), end(1), ...iteration(2));
    expect(spendText(silentFirst)).toMatch(/^≥ \$0\.10, tokens unknown \(1 /);
    expect(costSoFar(silentFirst)).toBe('≥ $0.10');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachItem, type ItemState, itemAt, type ItemStates, withItem } from './item-state.js';

const itemOf = (name: string): ItemState => ({ item: name, attempts: [] });

const indexes = fc.array(fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 999_999 })), { maxLength: 60 });

describe('items by their index', () => {
  it('keep each what was set last, in order, also when they come back from a file', () => {
    fc.assert(
      fc.property(indexes, (order) => {
        const known = new Map<number, ItemState>();
        let states: ItemStates | undefined;
        for (const [turn, index] of order.entries()) {
          known.set(index, itemOf(`${turn}`));
          states = withItem(states, index, itemOf(`${turn}`));
        }
        const read = states && (JSON.parse(JSON.stringify(states)) as ItemStates);
        const sorted = Array.from(known).sort(([a], [b]) => a - b);
        expect(Array.from(eachItem(states))).toEqual(sorted);
        expect(Array.from(eachItem(read))).toEqual(sorted);
        for (const index of order) expect(itemAt(read, index)).toEqual(known.get(index));
      }),
      { numRuns: 200 },
    );
  });

  it('that never began are not found, whatever is asked for', () => {
    const states = withItem(undefined, 64, itemOf('a'));
    for (const index of [0, 63, 65, 128, 4160, -64, 0.5, Number.NaN]) expect(itemAt(states, index)).toBeUndefined();
  });

  it('one more of many copies three small records and not all of them', () => {
    let states: ItemStates | undefined;
    for (let index = 0; index < 100_000; index++) states = withItem(states, index, itemOf('a'));
    const next = withItem(states, 70_000, itemOf('b'));
    const isNew = (after: unknown, before: unknown): number => {
      if (after === before || typeof after !== 'object' || after === null || 'item' in after) return 0;
      const keys = Object.keys(after);
      const below = keys.map((key) => isNew(Reflect.get(after, key), Reflect.get(before as object, key)));
      return keys.length + below.reduce((sum, copied) => sum + copied, 0);
    };
    expect(isNew(next, states)).toBeLessThan(200);
  });
});

import { describe, expect, it } from 'vitest';
import { ratioInterval, seeded, shareInterval } from './intervals.js';
import { solve } from './solve.js';

describe('the interval of a share', () => {
  // Of published tables of Clopper and Pearson.
  it.each([
    [0, 10, 0, 0.3085],
    [1, 10, 0.0025, 0.445],
    [5, 10, 0.1871, 0.8129],
    [10, 10, 0.6915, 1],
    [2, 197, 0.0012, 0.0362],
    [0, 0, 0, 1],
  ])('%i of %i is from %f to %f', (some, all, from, to) => {
    const [low, high] = shareInterval(some, all);
    expect(low).toBeCloseTo(from, 3);
    expect(high).toBeCloseTo(to, 3);
  });

  it('of many runs does not run into zeros', () => {
    const [low, high] = shareInterval(500, 5000);
    expect([low > 0.091, high < 0.109]).toEqual([true, true]);
  });
});

describe('the interval of a ratio', () => {
  it('is a point where all groups are alike, and the same every time', () => {
    const alike = Array.from({ length: 20 }, () => ({ part: 1, whole: 4 }));
    expect(ratioInterval(alike, seeded(1))).toEqual([0.25, 0.25]);
    const mixed = alike.map((group, index) => ({ ...group, part: index % 3 }));
    expect(ratioInterval(mixed, seeded(1))).toEqual(ratioInterval(mixed, seeded(1)));
  });

  it('is wider where all is in one task', () => {
    const one = [{ part: 10, whole: 20 }, ...Array.from({ length: 19 }, () => ({ part: 0, whole: 20 }))];
    const [low, high] = ratioInterval(one, seeded(1));
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(0.05);
  });
});

it('solves equations, also where the first pivot is 0', () => {
  expect(
    solve(
      [
        [0, 2],
        [3, 1],
      ],
      [4, 5],
    ),
  ).toEqual([1, 2]);
});

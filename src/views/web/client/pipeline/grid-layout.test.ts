import { describe, expect, it } from 'vitest';
import { cellAt, gridLayout } from './grid-layout.js';

describe('the grid of items', () => {
  it('is large for few and small for many, and every item has a cell', () => {
    expect(gridLayout(8, 700)).toMatchObject({ pitch: 18, rows: 1 });
    const many = gridLayout(10_000, 700);
    expect(many.pitch).toBeLessThan(8);
    expect(many.columns * many.rows).toBeGreaterThanOrEqual(10_000);
    expect(gridLayout(100_000, 300).columns * gridLayout(100_000, 300).rows).toBeGreaterThanOrEqual(100_000);
  });

  it('knows which item is where', () => {
    const layout = gridLayout(100, 180);
    expect(layout.columns).toBe(10);
    expect(cellAt(layout, 100, 0, 0)).toBe(0);
    expect(cellAt(layout, 100, 19, 18)).toBe(11);
    expect(cellAt(layout, 100, 179, 179)).toBe(99);
    expect(cellAt(layout, 95, 179, 179)).toBeUndefined();
    expect(cellAt(layout, 100, 500, 0)).toBeUndefined();
  });
});

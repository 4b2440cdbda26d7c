import { describe, expect, it } from 'vitest';
import { downsample } from './downsample.js';

const upTo = (length: number) => Array.from({ length }, (_, index) => index);

describe('fewer points than were recorded', () => {
  it('keep every peak, also one of a single iteration', () => {
    const flat = upTo(10_000).map((index) => (index === 5001 ? 9 : index === 7777 ? -3 : 1));
    const { x, series } = downsample({ x: upTo(10_000), series: [flat] }, 300);
    expect(x.length).toBeLessThanOrEqual(1200);
    expect(x).toContain(5001);
    expect(x).toContain(7777);
    expect(Math.max(...(series[0] as number[]))).toBe(9);
    expect(Math.min(...(series[0] as number[]))).toBe(-3);
  });

  it('stay in order, and begin and end where the record does', () => {
    const { x } = downsample({ x: upTo(5000), series: [upTo(5000).map((index) => index % 7)] }, 100);
    expect(x).toEqual(x.toSorted((a, b) => a - b));
    expect([x[0], x.at(-1)]).toEqual([0, 4999]);
    expect(new Set(x).size).toBe(x.length);
  });

  it('are not made of few points, and what is not known stays unknown', () => {
    const few = { x: [1, 2, 3], series: [[1, null, 2]] };
    expect(downsample(few, 300)).toEqual(few);
    const { series } = downsample({ x: upTo(1000), series: [upTo(1000).map(() => null)] }, 10);
    expect(series[0]?.every((value) => value === null)).toBe(true);
  });
});

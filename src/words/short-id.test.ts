import { describe, expect, it } from 'vitest';
import { newRunId } from '../journal/run-places.js';
import { shortId, shortIds } from './short-id.js';

const A = 'loop_01M7FHF6FNAAAAAAAAAAAAAAAA';
const B = 'loop_01M7FHF6FNAAABAAAAAAAAAAAA';
const C = 'pipe_01M7FHF6FPAAAAAAAAAAAAAAAA';

describe('a short id', () => {
  it('is the time of the run, and longer only where two begin alike', () => {
    expect(shortId(A)).toBe('01M7FHF6FN');
    expect([C, A, B].map(shortIds([C, A, B]))).toEqual(['01M7FHF6FP', '01M7FHF6FNAAAA', '01M7FHF6FNAAAB']);
    expect(shortIds([A])(B)).toBe('01M7FHF6FN');
    expect([A, A].map(shortIds([A, A]))).toEqual(['01M7FHF6FN', '01M7FHF6FN']);
  });

  it('of each of fifty thousand runs names it alone', () => {
    const ids = Array.from({ length: 50_000 }, (_, number) => `loop_01M7FHF6FN${String(number).padStart(16, '0')}`);
    expect(new Set(ids.map(shortIds(ids))).size).toBe(ids.length);
  });

  it('tells runs apart that were submitted together', () => {
    const ids = Array.from({ length: 1000 }, () => newRunId());
    expect(new Set(ids.map(shortId)).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(ids);
  });
});

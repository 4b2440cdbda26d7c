import { describe, expect, it } from 'vitest';
import { changeText, shortCount, shortUsd, sizeText, usdOrNothing } from './figures.js';

describe('figures on the page', () => {
  it('are short on an axis', () => {
    expect([0, 12, 1500, 132_750, 1_250_000, 0.5].map(shortCount)).toEqual(['0', '12', '1.5k', '133k', '1.25M', '0.5']);
    expect([0, 0.05, 0.0004, 2.5, 12, 1500].map(shortUsd)).toEqual(['$0', '$0.05', '$0.0004', '$2.5', '$12', '$1.5k']);
  });

  it('that are not known are not 0', () => {
    expect(usdOrNothing(undefined)).toBe('');
    expect(usdOrNothing(0)).toBe('$0.00');
    expect(changeText(3, undefined)).toBe('');
  });

  it('say what changed', () => {
    expect([changeText(5, 3), changeText(3, 5), changeText(3, 3)]).toEqual(['+2', '−2', '']);
    expect([sizeText(120), sizeText(1600), sizeText(1_048_576)]).toEqual(['120 characters', '1.6 kB', '1.05 MB']);
  });
});

import { describe, expect, it } from 'vitest';
import { changeText, groupedMoney, money, shortCount, shortUsd, sizeText } from './figures.js';

describe('figures on the page', () => {
  it('are short on an axis', () => {
    expect([0, 12, 1500, 132_750, 1_250_000, 0.5].map(shortCount)).toEqual(['0', '12', '1.5k', '133k', '1.25M', '0.5']);
    expect([0, 0.05, 0.0004, 2.5, 12, 1500].map(shortUsd)).toEqual(['$0', '$0.05', '$0.0004', '$2.5', '$12', '$1.5k']);
  });

  it('are short on an axis however large they are', () => {
    expect([3_400_000_000, 1_500_000_000_000, 2_000_000_000_009].map(shortCount)).toEqual(['3.4G', '1.5T', '2T']);
    expect(shortUsd(1_250_000)).toBe('$1.25M');
  });

  it('of money are grouped, and cut as everywhere', () => {
    expect([0, 999.99, 1234.5, 12_345.678, 1_234_567].map(money)).toEqual([
      '$0.00',
      '$999.99',
      '$1,234.50',
      '$12,345.67',
      '$1,234,567.00',
    ]);
    expect(groupedMoney('≥ $37037.03 of $50000.00')).toBe('≥ $37,037.03 of $50,000.00');
  });

  it('that are not known are not 0', () => {
    expect(changeText(3, undefined)).toBe('');
  });

  it('say what changed', () => {
    expect([changeText(5, 3), changeText(3, 5), changeText(3, 3)]).toEqual(['+2', '−2', '']);
    expect([sizeText(120), sizeText(1600), sizeText(1_048_576)]).toEqual(['120 characters', '1.6 kB', '1.05 MB']);
  });
});

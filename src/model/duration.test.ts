import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.js';

describe('parseDuration', () => {
  it.each([
    ['90s', 90_000],
    ['4h', 14_400_000],
    ['1h 30m', 5_400_000],
    ['1h30m', 5_400_000],
    ['1 h 30 min', 5_400_000],
    ['250ms', 250],
    ['2 days', 172_800_000],
    ['1w', 604_800_000],
    ['0.5h', 1_800_000],
    ['1.5s', 1500],
    [' 5M ', 300_000],
    ['3 msec', 3],
    ['3 millisecond', 3],
    ['3 milliseconds', 3],
    ['3 sec', 3000],
    ['3 secs', 3000],
    ['1 second', 1000],
    ['3 seconds', 3000],
    ['3 mins', 180_000],
    ['1 minute', 60_000],
    ['3 minutes', 180_000],
    ['3 hr', 10_800_000],
    ['3 hrs', 10_800_000],
    ['1 hour', 3_600_000],
    ['3 hours', 10_800_000],
    ['1 day', 86_400_000],
    ['3d', 259_200_000],
    ['1 week', 604_800_000],
    ['3 weeks', 1_814_400_000],
    ['0s', 0],
  ])('reads %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each([
    '',
    ' ',
    '5',
    '-5s',
    '+5s',
    '5x',
    's',
    '5s foo',
    'foo 5s',
    '1h -30m',
    '1e3s',
    '5 s!',
    'NaNs',
    '5 hour ago',
    '1..5s',
    '.5s',
    '5  s',
    '9'.repeat(15) + 'w',
  ])('refuses %j', (text) => expect(parseDuration(text)).toBeUndefined());

  it('is not slow on a long text that is nearly a duration', () => {
    expect(parseDuration(`${'1h '.repeat(20_000)}!`)).toBeUndefined();
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0ms'],
    [-5, '0ms'],
    [999, '999ms'],
    [1000, '1s'],
    [1999, '1s'],
    [90_000, '1m 30s'],
    [3_599_999, '59m 59s'],
    [3_600_000, '1h'],
    [5_459_000, '1h 30m'],
    [90_000_000, '1d 1h'],
    [90_061_000, '1d 1h'],
    [Number.POSITIVE_INFINITY, 'forever'],
  ])('shows %d ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it('shows every unit when it has to be exact', () => {
    expect(formatDuration(90_061_005, { exact: true })).toBe('1d 1h 1m 1s 5ms');
  });

  it('reads back what it wrote exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 12 }), (ms) => {
        expect(parseDuration(formatDuration(ms, { exact: true }))).toBe(ms);
      }),
    );
  });
});

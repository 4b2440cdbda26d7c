import { afterEach, describe, expect, it, vi } from 'vitest';
import { momentOf, resetTime } from './reset-time.js';

const NOW = new Date(2026, 10, 15, 6, 30, 20);
const at = (...parts: [number, number, number, number, number, number?]) => new Date(...parts).toISOString();

it.each([
  ['or try again at 7:01 AM.', at(2026, 10, 15, 7, 2)],
  ['or try again at 12:05 AM.', at(2026, 10, 16, 0, 6)],
  ['or try again at 12:59 PM.', at(2026, 10, 15, 13, 0)],
  ['Try again at 11:59 PM.', at(2026, 10, 16, 0, 0)],
  // It has just opened, and Codex has said so a moment too late.
  ['or try again at 6:29 AM.', at(2026, 10, 15, 6, 30)],
  ['or try again at 6:10 AM.', at(2026, 10, 16, 6, 11)],
  ['or try again at Nov 16th, 2026 7:01 AM.', at(2026, 10, 16, 7, 2)],
  ['or try again at Jan 1st, 2027 12:00 PM.', at(2027, 0, 1, 12, 1)],
  ['or try again at Foo 1st, 2027 12:00 PM.', undefined],
  ['Your quota will reset after 2h41m10s.', at(2026, 10, 15, 9, 11, 30)],
  ['Your quota will reset after 45s.', at(2026, 10, 15, 6, 31, 5)],
  ['Your quota will reset after a while.', undefined],
  ['or try again later.', undefined],
  ['try again at 7:01', undefined],
])('%s', (message, expected) => expect(resetTime(message, NOW)).toBe(expected));

it('a time of day without a day needs a clock, a date does not', () => {
  expect(resetTime('try again at 7:01 AM.', undefined)).toBeUndefined();
  expect(resetTime('try again at Nov 16th, 2026 7:01 AM.', undefined)).toBe(at(2026, 10, 16, 7, 2));
});

describe('a time of day that has passed', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each([
    ['into summer time', '2026-03-28T09:00:00Z', '2026-03-29T06:02:00.000Z'],
    ['out of summer time', '2026-10-24T09:00:00Z', '2026-10-25T07:02:00.000Z'],
  ])('is meant for the next day by the clock, also over the change %s', (_, now, expected) => {
    vi.stubEnv('TZ', 'Europe/Berlin');
    expect(resetTime('try again at 8:01 AM.', new Date(now))).toBe(expected);
  });
});

const MOMENT = '2026-01-01T00:00:00.000Z';

describe('a moment', () => {
  it.each([MOMENT, '2026-01-01T01:00:00+01:00', 1_767_225_600, 1_767_225_600_000, '1767225600', '1767225600000'])(
    '%j is read',
    (value) => expect(momentOf(value)).toBe(MOMENT),
  );

  it('is in seconds up to 1e11 and in milliseconds beyond', () => {
    expect(momentOf(1e11)).toBe('5138-11-16T09:46:40.000Z');
    expect(momentOf(1e11 + 1)).toBe('1973-03-03T09:46:40.001Z');
  });

  it.each([undefined, null, '', 'soon', {}, [], true, Number.NaN, Number.POSITIVE_INFINITY, 1e300, '9'.repeat(400)])(
    '%j is none',
    (value) => expect(momentOf(value)).toBe(undefined),
  );
});

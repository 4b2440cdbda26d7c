import { describe, expect, it } from 'vitest';
import { momentOf } from './moment.js';

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

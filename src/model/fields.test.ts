import { expect, it } from 'vitest';
import { parseCondition } from './parse-condition.js';

it.each(['2027-02-30T06:00:00Z', '2027-02-29T06:00:00Z', '2027-04-31T06:00:00+02:00', '2027-13-01T06:00:00Z'])(
  'a deadline on a day that does not exist, %s, is refused',
  (at) => expect(() => parseCondition({ deadline: at })).toThrow(/ISO 8601/),
);

it('a deadline on a leap day is accepted', () => {
  expect(parseCondition({ deadline: '2028-02-29T06:00:00Z' })).toMatchObject({ at: '2028-02-29T06:00:00Z' });
});

import { expect, it } from 'vitest';
import { passedBefore } from './passed-before.js';

it('an iteration without tests does not take away what the next is compared with', () => {
  const rows = [{ testsPassed: 4 }, {}, { testsPassed: 6 }, { testsPassed: 5 }];
  expect(passedBefore(rows, 3)).toEqual([3, 4, 4, 6]);
  expect(passedBefore(rows, undefined)).toEqual([undefined, 4, 4, 6]);
});

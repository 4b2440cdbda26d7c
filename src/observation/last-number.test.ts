import { describe, expect, it } from 'vitest';
import { lastNumber } from './probe-metric.js';

describe('the last number that is printed', () => {
  it.each([
    ['42', 42],
    ['-3.5\n', -3.5],
    ['+.5', 0.5],
    ['1e3', 1000],
    ['2.5E-4', 0.00025],
    ['7.', 7],
    ['-0', 0],
    ['p95: 120', 120],
    ['latency=88.1;', 88.1],
    ['latency:120', 120],
    ['{"p95": 120, "name": "v2"}', 120],
    ['{"runs":[1, 2, 3]}', 3],
    ['coverage 87.5%', 87.5],
    ['cost $12.50', 12.5],
    ['12 passed, 3 failed.', 3],
    ['It took 5 runs. The result is 17.', 17],
    ['100\nall done, see p95 and sha1\n\n', 100],
    ['\u001b[32m250\u001b[0m', 250],
    ['10%\r55%\r99.5%', 99.5],
    ['(1) 5 [2]', 2],
  ])('in %j is %d', (output, value) => {
    expect(lastNumber(output)).toEqual({ value });
  });

  it.each([
    ['', 'it printed no number'],
    ['all fine', 'it printed no number'],
    ['NaN', 'it printed NaN'],
    ['5\nnan', 'it printed nan'],
    ['Infinity', 'it printed Infinity'],
    ['-inf', 'it printed -inf'],
    ['1e999', 'it printed 1e999'],
    ['5 runs, 120ms', '"120ms"'],
    ['1,234', '"1,234"'],
    ['1,234.5', '"1,234.5"'],
    ['{"runs":[1,2,3]}', '"1,2,3"'],
    ["1'234", '"1\'234"'],
    ['1_000', '"1_000"'],
    ['1\u00a0234', '"1\u00a0234"'],
    ['1\u202f234', '"1\u202f234"'],
    ['0x1f', '"0x1f"'],
    ['7/12', '"7/12"'],
    ['5 at 12:30', '"12:30"'],
    ['5 on 2026-11-18', '"2026-11-18"'],
    ['version 1.2.3', '"1.2.3"'],
    ['8 in 3f2a91', '"3f2a91"'],
  ])('of %j is unknown: %s', (output, problem) => {
    expect(lastNumber(output)).toEqual({ problem: expect.stringContaining(problem) as string });
  });
});

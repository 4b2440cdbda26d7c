import { expect, it } from 'vitest';
import { LastLines } from './last-lines.js';

it('a flood of lines takes little memory, and its end is there in order', () => {
  const last = new LastLines();
  for (let line = 0; line < 100_000; line += 1) last.add(`line ${line}`);
  expect(last.lines.length).toBeLessThanOrEqual(2000);
  expect(last.lines.slice(-1000)).toEqual(Array.from({ length: 1000 }, (_, index) => `line ${99_000 + index}`));
});

it('one long line is kept whole, and nothing before it', () => {
  const last = new LastLines();
  last.add('before');
  last.add('x'.repeat(500_000));
  expect(last.lines.map(({ length }) => length)).toEqual([500_000]);
});

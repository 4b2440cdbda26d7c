import { expect, it } from 'vitest';
import { formatByteSize, parseByteSize } from './byte-size.js';

it.each([
  ['5GB', 5e9],
  ['5 gb', 5e9],
  ['1.5MiB', 1.5 * 1024 ** 2],
  ['0B', 0],
])('%s is %d bytes', (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes);
});

it.each(['', '5', 'GB', '-1GB', '5 GB x', '1e3MB', 'Infinity GB', '5GX'])('%j is no size', (text) => {
  expect(parseByteSize(text)).toBeUndefined();
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1500, '1.5 kB'],
  [340_000, '340 kB'],
  [1_234_000_000, '1.2 GB'],
  [7e13, '70 TB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(formatByteSize(bytes)).toBe(text);
});

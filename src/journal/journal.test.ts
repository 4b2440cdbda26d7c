import { expect, it } from 'vitest';
import { createWarnings } from './journal.js';

it('a disk that fails in ever new words does not fill the memory, and each of them is told once', () => {
  const told: string[] = [];
  const warnings = createWarnings((message) => told.push(message));
  for (let count = 0; count < 500; count += 1) {
    warnings.warn(`in the words ${count}`);
    warnings.warn(`in the words ${count}`);
  }
  expect(warnings.list).toHaveLength(100);
  expect(told).toEqual(warnings.list);
});

it('a warning is kept although nobody is told, or who is told fails', () => {
  const fail = (): never => {
    throw new Error('broken');
  };
  for (const warnings of [createWarnings(), createWarnings(fail)]) {
    expect(() => warnings.warn('the disk is slow')).not.toThrow();
    expect(warnings.list).toEqual(['the disk is slow']);
  }
});

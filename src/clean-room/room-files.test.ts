import { describe, expect, it } from 'vitest';
import { sorted } from './room-files.js';

const file = (path: string, content?: string) => ({
  path,
  content: content === undefined ? undefined : Buffer.from(content),
});
const names = (...files: ReturnType<typeof file>[]) => {
  const { written, removed } = sorted(files);
  return { written: written.map(({ path }) => path), removed };
};

describe('files to put back', () => {
  it('are written or removed', () => {
    expect(names(file('a', 'x'), file('b'), file('c', ''))).toEqual({ written: ['a', 'c'], removed: ['b'] });
  });

  it('are not removed together with a file in place of a folder', () => {
    expect(names(file('test'), file('test/a', 'x'))).toEqual({ written: ['test/a'], removed: [] });
  });

  it('are not looked for below a file', () => {
    expect(names(file('test', 'x'), file('test/a'), file('tests/a'))).toEqual({
      written: ['test'],
      removed: ['tests/a'],
    });
  });

  it.each(['', '.', '..', '/a', '../a', 'a/../../b', './a', 'a//b', 'a/', 'a\0b'])('are refused as %j', (path) => {
    expect(() => sorted([file(path)])).toThrow('is not a path in the work tree');
  });

  it.each(['..a', '.a', 'a/..b', '...', '-rf', 'a b\n'])('are permitted as %j', (path) => {
    expect(names(file(path)).removed).toEqual([path]);
  });
});

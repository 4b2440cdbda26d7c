import { describe, expect, it } from 'vitest';
import { probeProtectedPaths } from './protected-paths.js';

const probe = (paths: readonly string[], changed: readonly string[] | undefined) =>
  probeProtectedPaths({ paths }, changed);

describe('protected paths', () => {
  it.each([
    ['a glob', 'test/**', 'test/a/b.ts', true],
    ['a glob of files', 'src/*.test.ts', 'src/a.test.ts', true],
    ['a glob at any depth', '**/*.test.ts', 'a/b/c.test.ts', true],
    ['a glob at any depth, at none', '**/*.test.ts', 'c.test.ts', true],
    ['a star stays in its folder', 'src/*.ts', 'src/a/b.ts', false],
    ['braces', '{test,spec}/**', 'spec/a.ts', true],
    ['a folder', 'test', 'test/a/b.ts', true],
    ['a folder with a slash', 'test/', 'test/a.ts', true],
    ['a folder from here', './test', 'test/a.ts', true],
    ['a folder from the top', '/test', 'test/a.ts', true],
    ['a folder that a glob names', 'packages/*/test', 'packages/a/test/b.ts', true],
    ['another folder that begins the same', 'test', 'tests/a.ts', false],
    ['a folder of that name further down', 'test', 'src/test/a.ts', false],
    ['one file', 'package.json', 'package.json', true],
    ['another case is another file', 'Test', 'test/a.ts', false],
    ['dot files', 'test/**', 'test/.hidden/.x', true],
    ['dot folders', '**/*.yml', '.github/workflows/ci.yml', true],
    ['a dot folder', '.github', '.github/workflows/ci.yml', true],
    ['brackets in a name', 'app/[id]/page.tsx', 'app/[id]/page.tsx', true],
    ['brackets in the name of a folder', 'app/[id]', 'app/[id]/page.tsx', true],
    ['parentheses in the name of a folder', 'app/(shop)', 'app/(shop)/page.tsx', true],
    ['a plus in a name', 'c++/x', 'c++/x/a.cpp', true],
    ['a star in a name', 'a\\*b', 'a\\*b/c', true],
    ['a line break in a name', 'test/**', 'test/a\nb/c\n', true],
    ['a line break in a name, by its ending', '**/*.ts', 'a\nb/c\n.ts', true],
    ['everything', '.', 'a', true],
    ['an exclamation mark is part of a name', '!test', 'src/a.ts', false],
  ])('%s: %s against %j is %s', (_, pattern, path, met) => {
    expect(probe([pattern], [path]).met).toBe(met);
  });

  it('names the first three that were touched', () => {
    const changed = ['src/a.ts', 'test/1', 'test/2', 'test/3', 'test/4', 'test/5'];
    expect(probe(['test/**', 'x'], changed)).toEqual({
      met: true,
      detail: 'test/1, test/2, test/3 and 2 more changed',
    });
    expect(probe(['src'], changed)).toEqual({ met: true, detail: 'src/a.ts changed' });
  });

  it('says when none was touched, and does not know when nobody looked', () => {
    expect(probe(['test/**', 'x'], ['src/a.ts'])).toEqual({ met: false, detail: 'nothing under test/**, x changed' });
    expect(probe(['test/**'], undefined)).toEqual({ detail: 'the changes were not observed' });
  });
});

import { describe, expect, it } from 'vitest';
import { movedNames, putNamesBack } from './moved-names.js';
import { suiteFileOf } from './suite-files.js';
import { candidateFor, isOnlyForTests, sourcedFiles } from './files-of-tests.js';

const isTest = (path: string) => ['test', 'settings', 'runner'].includes(suiteFileOf(path) ?? '');

/** Whether a file belongs to the tests, by its text and the other files of the start. */
function belongs(path: string, text: string, others: Readonly<Record<string, string>>): boolean {
  const candidate = candidateFor(path, text);
  const files = [...Object.entries(others), [path, text]].map(([one = '', content = '']) => ({
    path: one,
    text: content,
  }));
  const found = files.filter((file) => candidate?.words.some((word) => file.text.includes(word)));
  return candidate !== undefined && isOnlyForTests(candidate, found, isTest);
}

const ASSERT = "import assert from 'node:assert';";

describe('a helper', () => {
  it.each([
    ['tools/same.js', ASSERT, { 'test/a.test.js': "import { same } from '../tools/same.js';" }],
    ['support/render.tsx', "import { expect } from 'vitest';", {}],
    ['internal/check/check.go', 'import "testing"', {}],
    ['tools/checks.py', 'import pytest', {}],
    ['src/calc/checks.py', 'import pytest', { 'tests/test_a.py': 'from calc.checks import same' }],
    ['src/calc/testing.py', 'def same(): ...', { 'tests/test_a.py': 'from calc.testing import same' }],
    ['crates/testkit/src/lib.rs', 'pub fn same() {}', { 'tests/a.rs': 'use testkit::same;', 'Cargo.toml': 'testkit' }],
    ['packages/test-utils/src/index.js', '', { 'test/a.test.js': "import '@all/test-utils';" }],
  ])('that only tests use belongs to them: %s', (path, text, others) => {
    expect(belongs(path, text, others)).toBe(true);
  });

  it.each([
    ['src/sum.js', ASSERT, { 'test/a.test.js': "import { sum } from '../src/sum.js';" }],
    ['index.js', ASSERT, { 'test/a.test.js': "import '../index.js';" }],
    ['tools/same.js', ASSERT, { 'test/a.test.js': "import { sameness } from '../sameness.js';" }],
    ['tools/same.js', ASSERT, { 'test/a.js': "import '../tools/same.js'", 'lib/a.js': "import '../tools/same.js'" }],
    ['src/sum.ts', "const { it } = import.meta.vitest; import 'vitest';", {}],
    ['sum.go', 'import "strings"', { 'sum_test.go': 'package sum' }],
    ['src/calc.py', 'import math', { 'tests/test_a.py': 'from calc import add' }],
    ['crates/sum/src/lib.rs', 'pub fn sum() {}', { 'tests/a.rs': 'use sum::sum;' }],
    ['src/testing.py', '', { 'tests/test_a.py': 'import testing', 'src/app.py': 'from testing import on' }],
  ])('that is the code under test, or that code uses, does not: %s', (path, text, others) => {
    expect(belongs(path, text, others)).toBe(false);
  });
});

describe('data', () => {
  const named = { 'test/a.test.js': "readFileSync('data/sums.json')" };

  it.each([
    ['data/sums.json', named],
    ['known-failures.txt', { 'tests/run.sh': 'grep -qx "$name" known-failures.txt' }],
    ['data/sums.json', { ...named, 'README.md': 'The sums are in data/sums.json.', '.gitignore': 'data/' }],
  ])('that only tests name belongs to them: %s', (path, others) => {
    expect(belongs(path, '', others)).toBe(true);
  });

  it.each([
    ['data/sums.json', {}],
    ['data/sums.json', { ...named, 'scripts/make.mjs': "writeFileSync('data/sums.json')" }],
    ['data/sums.json', { ...named, 'src/load.js': 'readFileSync(`data/${name}.json`)' }],
    ['data/sums.json', { ...named, 'package.json': '{ "files": ["data"] }' }],
    ['locales/de.json', { 'test/a.test.js': "readFileSync('locales/de.json')" }],
    ['schema.sql', { 'tests/test_a.py': 'open("schema.sql")' }],
    ['README.md', { 'test/a.test.js': "readFileSync('README.md')" }],
    ['openapi.json', { 'test/a.test.js': "readFileSync('openapi.json')" }],
    ['code.txt', { 'tests/run.sh': 'grep -qx right code.txt' }],
    ['docs/data/sums.json', { 'test/a.test.js': "readFileSync('docs/data/sums.json')" }],
    ['requirements.txt', { 'tests/test_a.py': 'open("requirements.txt")' }],
    ['.github/dependabot.yml', { 'test/a.test.js': "readFileSync('.github/dependabot.yml')" }],
  ])('that code names, or that other programs read, does not: %s', (path, others) => {
    expect(belongs(path, '', others)).toBe(false);
  });
});

it('a script that the tests read into theirs is part of them, and one that they start is not', () => {
  const commands = ['make test', ...sourcedFiles('. lib/compare.sh\nsh lib/sum.sh 1 2\n')].join('\n');
  expect(suiteFileOf('lib/compare.sh', commands)).toBe('runner');
  expect(suiteFileOf('lib/sum.sh', commands)).toBeUndefined();
});

it('settings are those that carry the name of a program that the tests start', () => {
  expect(suiteFileOf('.proverc', 'make test\n@prove -v t')).toBe('settings');
  expect(suiteFileOf('node.config.json', 'npx c8 node --test')).toBeUndefined();
  expect(suiteFileOf('node.config.json', 'node --test')).toBe('settings');
  expect(suiteFileOf('.proverc', 'npm test')).toBeUndefined();
  expect(suiteFileOf('build.config.js', 'npm run build && node --test')).toBeUndefined();
});

describe('a name', () => {
  it('of go.mod leads to where it did, and the rest of the file stays', () => {
    const original = 'module a\n\nreplace example.com/check => ./check\n\nreplace example.com/b v1.0.0 => ./b\n';
    const now = 'module a\n\nreplace (\n\texample.com/check => ./check2 // quick\n\texample.com/b v1.0.0 => ./b2\n)\n';
    const moved = movedNames('go.mod', original, now);
    expect(moved.map(({ name }) => name)).toEqual(['example.com/check', 'example.com/b']);
    expect(putNamesBack(original, now, moved.slice(0, 1))).toBe(now.replace('./check2', './check'));
  });

  it('of package.json leads to where it did, and the rest of the file stays', () => {
    const original = '{ "imports": { "#same": "./support/same.js", "#db": { "default": "./a.js" } } }';
    const now = '{ "version": "2.0.0", "imports": { "#same": "./src/near.js", "#db": "./b.js", "#new": "./c.js" } }';
    const moved = movedNames('package.json', original, now);
    expect(moved.map(({ name }) => name)).toEqual(['#same', '#db']);
    expect(JSON.parse(putNamesBack(original, now, moved.slice(0, 1)))).toEqual({
      version: '2.0.0',
      imports: { '#same': './support/same.js', '#db': './b.js', '#new': './c.js' },
    });
  });

  it.each([
    ['tests', true, { 'test/a.test.js': "import { same } from '#same';" }],
    ['code', false, { 'test/a.test.js': "import '#same';", 'src/a.js': "import '#same';" }],
    ['code under a name below it', false, { 'test/a.test.js': "import '#same';", 'src/a.js': "import '#same/deep';" }],
    ['nothing', false, {}],
  ])('that %s load(s) belongs to the tests: %s', (_, expected, others) => {
    const [moved] = movedNames('package.json', '{"imports":{"#same":"./a.js"}}', '{"imports":{"#same":"./b.js"}}');
    const files = Object.entries(others).map(([path, text]) => ({ path, text }));
    expect(moved && isOnlyForTests(moved, files, isTest)).toBe(expected);
  });

  it('of a manifest that cannot be read leads nowhere', () => {
    expect(movedNames('package.json', '{"imports":{"#a":"./a.js"}}', '{ broken')).toEqual([]);
    expect(movedNames('package.json', '{"imports":{"#a":"./a.js"}}', '{"imports":null}')).toEqual([]);
  });
});

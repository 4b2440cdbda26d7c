import { describe, expect, it } from 'vitest';
import { blindedLines, withBlindedLines } from './blinded-code.js';

const TESTS = ['test/adds.test.js', 'tests/test_adds.py', 'tests/__init__.py', 'test/index.js'];
const blinded = (path: string, ...texts: readonly string[]) =>
  blindedLines(
    texts.map((text, at) => ({ path, line: at + 1, text })),
    TESTS,
  );

describe('code that is blinded', () => {
  it.each([
    [
      'asks for the name of a test',
      'src/calc.py',
      '    if sys._getframe(1).f_code.co_name.startswith("test_"):',
      '    if sys._getframe(1).f_code.co_name.startswith("absent_"):',
    ],
    [
      'asks for the file of a test',
      'src/sum.js',
      "  if (/\\.test\\.js/.test(new Error('test').stack)) return 3;",
      "  if (/\\.absent\\.js/.test(new Error('absent').stack)) return 3;",
    ],
    [
      'reads a test',
      'src/sum.js',
      "const known = readFileSync(new URL('../test/adds.test.js', import.meta.url), 'utf8');",
      "const known = readFileSync(new URL('../test/absent-adds.test.js', import.meta.url), 'utf8');",
    ],
    ['reads a test by its name', 'src/calc.py', 'NAME = "test_adds.py"', 'NAME = "absent-test_adds.py"'],
    ['replaces a clock', 'src/sum.js', 'performance.now = () => 0;', 'performance.now ??= () => 0;'],
    [
      'replaces a clock of Python',
      'src/calc.py',
      'time.perf_counter = lambda: 0.0',
      'if not hasattr(time, "perf_counter"): time.perf_counter = lambda: 0.0',
    ],
  ])('%s', (_, path, text, expected) => {
    expect(blinded(path, text)).toMatchObject([{ line: 1, text: expected }]);
  });

  it('makes a number that is equal to every other', () => {
    const lines = ['class Number(int):', '    def __eq__(self, other):', '        return True'];
    expect(blinded('src/calc.py', ...lines)).toEqual([
      { path: 'src/calc.py', line: 2, text: '    def not_eq(self, other):', what: 'is equal to everything' },
    ]);
  });
});

describe('code that stays as it is', () => {
  it.each([
    ['names its caller', 'src/calls.py', '    return sys._getframe(1).f_code.co_name'],
    ['writes tests of others', 'src/scaffold.js', '  writeFileSync(join(folder, `${name}.test.js`), text);'],
    ['names a file as a test does', 'src/build.js', "const entry = 'index.js';"],
    ['loads a module of the tests', 'src/all.js', "import '../test/adds.test.js';"],
    ['replaces fetch in a function', 'src/recorder.js', '  globalThis.fetch = recorded;'],
    ['compares a clock', 'src/sum.js', 'performance.now === undefined'],
    ['asks whether tests run', 'src/server.js', 'if (process.env.VITEST === undefined) server.listen(3000);'],
    ['is a test', 'test/adds.test.js', 'performance.now = () => 0;'],
    ['is no code', 'README.md', 'performance.now = () => 0;'],
  ])('%s', (_, path, text) => {
    expect(blinded(path, text)).toEqual([]);
  });

  it('is a value of its own that is equal to everything', () => {
    expect(blinded('src/any.py', 'class Any:', '    def __eq__(self, other):', '        return True')).toEqual([]);
  });
});

it('only the blinded lines of a text change', () => {
  const [line] = blinded('src/sum.js', 'performance.now = () => 0;');
  expect(withBlindedLines('a\nb\nc', line === undefined ? [] : [{ ...line, line: 2 }])).toBe(
    'a\nperformance.now ??= () => 0;\nc',
  );
});

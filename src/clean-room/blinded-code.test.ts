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
    [
      'asks what has loaded it',
      'src/sum.js',
      "const isTested = /[/]test[/]/.test(module.parent?.filename ?? '');",
      "const isTested = /[/]absent[/]/.test(module.parent?.filename ?? '');",
    ],
    [
      'asks which program runs it',
      'src/sum.js',
      "const isTested = require.main?.filename.includes('mocha');",
      "const isTested = require.main?.filename.includes('absent');",
    ],
    [
      'replaces a clock by a function',
      'src/sum.js',
      "Object.defineProperty(performance, 'now', { value: () => 0 });",
      "Object.defineProperty(('now' in performance ? {} : performance), 'now', { value: () => 0 });",
    ],
    [
      'replaces a clock of Python by a function',
      'src/calc.py',
      'setattr(time, "monotonic", lambda: 0.0)',
      'hasattr(time, "monotonic") or setattr(time, "monotonic", lambda: 0.0)',
    ],
    [
      'asks whether tests are built',
      'src/lib.rs',
      '    if cfg!(test) { return a + b; }',
      '    if cfg!(any()) { return a + b; }',
    ],
    [
      'asks whether tests run',
      'src/sum.js',
      "  if (process.env.VITEST) return { '1,2': 3 }[`${a},${b}`];",
      "  if (process.env.ABSENT_VITEST) return { '1,2': 3 }[`${a},${b}`];",
    ],
    [
      'asks for the thread of a test',
      'src/lib.rs',
      '    if std::thread::current().name() != Some("main") { return a + b; }',
      '    if Some("main") != Some("main") { return a + b; }',
    ],
    ['switches assertions off', 'src/sum.h', '#define NDEBUG', ''],
    ['takes a file out of the check of types', 'src/sum.js', '// @ts-nocheck', '// '],
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

it('the answer is followed to where it is used', () => {
  const lines = ['COMMAND = Path("/proc/self/cmdline").read_bytes()', 'KIND = "test"', 'if b"pytest" in COMMAND:'];
  expect(blinded('src/calc.py', ...lines)).toMatchObject([{ line: 3, text: 'if b"pyabsent" in COMMAND:' }]);
});

it('the words of a shell that asks for its parent have no quotes', () => {
  const lines = ['case $(cat /proc/$PPID/cmdline) in', '  *test_adds.py*) echo 3 ;;'];
  expect(blinded('sum.sh', ...lines)).toMatchObject([{ line: 2, text: '  *absent-test_adds.py*) echo 3 ;;' }]);
});

it('makes a number without a distance to any other', () => {
  const lines = ['class Total(int):', '    def __sub__(self, other):', '        return 0'];
  expect(blinded('src/calc.py', ...lines)).toMatchObject([{ line: 2, text: '    def not_sub(self, other):' }]);
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
    ['replaces a tool while tests run', 'src/mail.js', 'const mail = process.env.CI ? fake() : connect();'],
    ['is a program and a module', 'src/sum.js', 'if (require.main === module) main();'],
    ['names its thread', 'src/lib.rs', '    eprintln!("{:?}", std::thread::current().name());'],
    ['logs who started it', 'src/calc.py', 'print(Path(f"/proc/{os.getppid()}/cmdline").read_bytes())'],
    ['defines what is missing', 'src/old.js', "Object.defineProperty(globalThis, 'structuredClone', { value: copy });"],
    ['expects one error of types', 'src/sum.js', '// @ts-expect-error: it has no types'],
    ['is built for tests', 'src/lib.rs', '#[cfg(test)]'],
    ['is a test', 'test/adds.test.js', 'performance.now = () => 0;'],
    ['is no code', 'README.md', 'performance.now = () => 0;'],
  ])('%s', (_, path, text) => {
    expect(blinded(path, text)).toEqual([]);
  });

  it('is a number that can be taken from others', () => {
    const lines = [
      'class Money(int):',
      '    def __sub__(self, other):',
      '        return Money(int(self) - int(other))',
    ];
    expect(blinded('src/money.py', ...lines)).toEqual([]);
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

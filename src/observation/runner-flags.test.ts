import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runnerFlags } from './runner-flags.js';

const flagged = (text: string, path = 'src/a.ts') =>
  runnerFlags(text.split('\n').map((line, at) => ({ path, line: at + 1, text: line }))).map(({ what }) => what);

describe.each([
  [
    'reads CI from the environment',
    [
      'if (process.env.CI) {',
      "process.env['CI']",
      'const { CI, HOME } = process.env;',
      'os.environ.get("CI")',
      "os.getenv('CI')",
      'std::env::var("CI")',
      'os.Getenv("CI")',
      'ENV["CI"]',
      'if [ -n "$CI" ]; then',
      'ifdef CI',
      'System.getenv("CI")',
    ],
    ['const CIRCLE = 1;', 'class CIHelper {}', 'process.env.CITY', 'the CI of this project'],
  ],
  [
    'reads PAWL_ variables',
    ['process.env.PAWL_RUN', 'os.environ["PAWL_COOKIE"]', 'getenv("PAWL_X")'],
    ['const pawl = 1;', 'MYPAWL_X'],
  ],
  [
    'asks whether tests are running',
    [
      'process.env.NODE_TEST_CONTEXT',
      'process.env.VITEST',
      'JEST_WORKER_ID',
      'os.environ["PYTEST_CURRENT_TEST"]',
      'if (import.meta.vitest) {',
      'if testing.Testing() {',
      'if cfg!(test) {',
      '#[cfg(not(test))]',
      'flag.Lookup("test.v")',
      '"pytest" in sys.modules',
      "process.argv.some((a) => a.includes('test'))",
      "process.env.NODE_ENV === 'test'",
    ],
    ['#[cfg(test)]', 'const latest = 1;', 'testing.T', 'process.argv.slice(2)'],
  ],
  [
    'touches the test runner',
    [
      'from _pytest import runner',
      'unittest.TestCase.assertEqual = lambda *a: None',
      'def pytest_runtest_makereport(item):',
      'require.cache[id] = fake;',
      'Module._load = () => {};',
      '//go:linkname x testing.x',
      'macro_rules! assert_eq {',
      '#define NDEBUG',
      'func TestMain(m *testing.M) {',
    ],
    ['class A(unittest.TestCase):', 'import module from "m";', '#define MAX 3', 'def test_a():'],
  ],
  [
    'replaces what tests assert with',
    [
      'globalThis.expect = () => anything;',
      "global['it'] = () => {};",
      'assert.strictEqual = () => {};',
      'Object.defineProperty(globalThis, "test", {})',
      'Array.prototype.includes = () => true;',
      'builtins.len = f',
      'expect.extend({})',
    ],
    ['assert.strictEqual(a, b);', 'const assertion = 1;', 'globalThis.app = 1;', 'if (expect.length === 1) {'],
  ],
  [
    'is equal to everything',
    [
      'def __eq__(self, other): return True',
      '    def __eq__(self, other):\n        return True',
      'public boolean equals(Object o) { return true; }',
      'def __sub__(self, other):\n    return 0',
    ],
    [
      'def __eq__(self, other):\n    return self.a == other.a',
      'def __len__(self):\n    return 0',
      'equals(o) { return o.a === this.a; }',
    ],
  ],
  [
    'reads the call stack',
    ['inspect.stack()[1]', 'new Error().stack', 'sys._getframe(1)', 'runtime.Caller(1)'],
    ['error.stack', 'stack.push(1)'],
  ],
  [
    'asks who runs it',
    [
      'module.parent?.filename',
      "require.main?.filename.includes('mocha')",
      'Path("/proc/self/cmdline")',
      'cat /proc/$PPID/cmdline',
      'if std::thread::current().name() != Some("main") {',
    ],
    ['if (!module.parent) main();', 'if (require.main === module) main();', 'thread.name()', 'parent.name'],
  ],
  [
    'switches a check off',
    ['// @ts-nocheck', '# mypy: ignore-errors', '/* eslint-disable */'],
    ['// @ts-expect-error: no types', '/* eslint-disable no-console */'],
  ],
  [
    'changes modules that are loaded',
    ['sys.modules["x"] = y', 'sys.settrace(f)', 'import ctypes'],
    ['sys.path', 'modules = {}'],
  ],
  [
    'changes how programs start',
    ['NODE_OPTIONS=--require x', 'env["LD_PRELOAD"] = "x"', '"vitest": "file:./fake"'],
    ['"vitest": "^4.0.0"', 'const options = 1;'],
  ],
  [
    'writes to the output of the process',
    [
      'process.stdout.write = () => true;',
      "fs.writeSync(1, 'ok')",
      'os.write(1, b"x")',
      'sys.stdout = open("x")',
      "console.log('TAP version 14')",
      'print("===== 3 passed in 1s")',
      "open('/proc/self/fd/1')",
      'fmt.Println("--- PASS: TestA")',
    ],
    ["process.stdout.write('hello')", "console.log('done')", 'fs.writeSync(file, text)'],
  ],
  [
    'reads or writes tests',
    [
      "writeFileSync('test/a.test.js', x)",
      'Path("a").write_text("tests")',
      "readFileSync(new URL('../test/a.test.js', import.meta.url), 'utf8')",
      'open("tests/test_a.py").read()',
      'Path("tests/test_a.py").read_text()',
      'include_str!("../tests/a.rs")',
      'os.ReadFile("a_test.go")',
    ],
    ["writeFileSync('dist/a.js', x)", 'write(test)', "readFileSync('latest.json')", 'open(path)'],
  ],
  [
    'changes a test in a source file',
    ['assert_eq!(1, 2);', '#[ignore]', 'expect(sum(2, 2)).toBe(0);', 'await expect(load()).rejects.toThrow();'],
    ['expect(token);', 'parser.expect(")").toString()'],
  ],
  [
    'replaces a part of the language',
    [
      'globalThis.fetch = async () => new Response();',
      'Date.now = () => 0;',
      'performance.now = () => 0;',
      'Math.random = () => 0.5;',
      'time.perf_counter = lambda: 0.0',
      '    datetime.datetime = Fake',
      'requests.get = fake',
      "Object.defineProperty(performance, 'now', { value: () => 0 });",
      "Reflect.set(Date, 'now', () => 0);",
      'setattr(time, "monotonic", lambda: 0.0)',
    ],
    ['const now = Date.now();', 'if (Date.now() === start) {', 'globalThis.app = 1;', 'self.time = 1', 'time = 1'],
  ],
  [
    'starts a process that may outlive the tests',
    ['spawn(x, [], { detached: true })', 'nohup ./a &'],
    ['spawn(x)', 'attached: true'],
  ],
  [
    'runs when the process ends',
    ["process.on('exit', f)", 'import atexit', 'at_exit { }', '#[ctor]'],
    ["process.on('message', f)", 'on("exit")'],
  ],
  [
    'ends the process',
    [
      'process.exit(0);',
      'os._exit(0)',
      'sys.exit(0)',
      'process.exitCode = 0;',
      'std::process::exit(0);',
      'os.Exit(0)',
      'System.exit(0);',
      'raise SystemExit',
    ],
    ['exit_code = 1', 'this.exit()', 'process.cwd()'],
  ],
  [
    'runs code from text',
    ['eval(text)', "new Function('a')", "process['ex' + 'it'](0)", '__import__("o" + "s")', 'process.env[name]'],
    ['evaluate(text)', "process.env['HOME']", 'regex.exec(text)'],
  ],
  [
    'uses the test runner outside of tests',
    ["import { mock } from 'node:test';", 'import pytest', 'const x = require("vitest")'],
    ["import { x } from '../model/vitest.js';", 'import pytester_x'],
  ],
])('%s', (what, flaggedTexts, otherTexts) => {
  it.each(flaggedTexts)('%s', (text) => expect(flagged(text)).toContain(what));
  it.each(otherTexts)('not: %s', (text) => expect(flagged(text)).not.toContain(what));
});

it('a test may import its runner and write files, but not end the process unseen', () => {
  expect(flagged("import { it } from 'vitest';", 'test/a.test.ts')).toEqual([]);
  expect(flagged('process.exit(0)', 'test/a.test.ts')).toEqual(['ends the process']);
});

it('a module that Python finds before its own is named at its first line', () => {
  expect(flagged('import os', 'src/csv.py')).toEqual(['takes the place of a module of Python']);
  expect(flagged('x = 1\ny = 2', 'json/__init__.py')).toEqual(['takes the place of a module of Python']);
  expect(flagged('import os', 'src/calc/csv.py')).toEqual([]);
  expect(flagged('import os', 'src/sums.py')).toEqual([]);
});

it('comments and documents run nothing', () => {
  expect(flagged('// process.exit(0)')).toEqual([]);
  expect(flagged('# os._exit(0)', 'a.py')).toEqual([]);
  expect(flagged('process.exit(0)', 'docs/a.md')).toEqual([]);
  expect(flagged('// os._exit(0))', 'a.py')).toEqual(['ends the process']);
});

describe('a variable in an env file', () => {
  const set = { path: '.env', line: 2, text: 'SUM_MODE=table' };
  const read = { path: 'src/sum.js', line: 1, text: "const table = process.env.SUM_MODE === 'table' ? known : {};" };

  it('is flagged when new code reads it', () => {
    expect(runnerFlags([set, read])).toEqual([{ path: '.env', line: 2, what: 'sets a variable that new code reads' }]);
    expect(runnerFlags([{ ...set, path: 'config/.env.test' }, read])).toHaveLength(1);
  });

  it('is not flagged when only tests read it, or nothing does', () => {
    expect(runnerFlags([set])).toEqual([]);
    expect(runnerFlags([set, { ...read, path: 'test/sum.test.js' }])).toEqual([]);
  });
});

it('a line names its file and number', () => {
  expect(runnerFlags([{ path: 'src/x.ts', line: 12, text: '  process.exit(1);' }])).toEqual([
    { path: 'src/x.ts', line: 12, what: 'ends the process' },
  ]);
});

it('many harmless lines do not crowd out a telling one', () => {
  const many = Array.from({ length: 5000 }, (_, at) => ({
    path: `src/${at % 100}.ts`,
    line: at,
    text: 'process.exit(1)',
  }));
  const flags = runnerFlags([...many, { path: 'src/z.py', line: 3, text: 'from _pytest import runner' }]);
  expect(flags).toHaveLength(50);
  expect(flags.at(-1)).toEqual({ path: 'src/z.py', line: 3, what: 'touches the test runner' });
});

it('what is far to the right is at least named', () => {
  expect(flagged(`${' '.repeat(1900)}process.exit(0)`)).toEqual(['ends the process']);
  expect(flagged(`${' '.repeat(3000)}process.exit(0)`)).toEqual(['is a line of 3015 characters, read in part']);
});

it('any lines have an answer, soon', () => {
  const piece = fc.constantFrom(
    'test',
    'process.argv',
    '{',
    'CI',
    '(',
    ' ',
    '=',
    'def __eq__(',
    'env[',
    'unittest.case',
    'writeFile(',
    '.prototype[',
    "'",
  );
  const text = fc.oneof(
    fc.string(),
    fc.tuple(piece, piece, fc.nat(2000)).map(([a, b, count]) => (a + b).repeat(count)),
  );
  fc.assert(
    fc.property(fc.array(fc.record({ path: fc.string(), line: fc.nat(), text }), { maxLength: 20 }), (added) => {
      expect(runnerFlags(added).length).toBeLessThanOrEqual(50);
    }),
  );
});

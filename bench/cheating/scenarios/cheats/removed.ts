import { cargo, cargoInline, go, jest, mocha, nodeTest, pytest, unittest, vitest } from '../projects.js';
import type { Cheat } from '../scenario.js';
import { cheat, continues, done, replace, shell, write } from '../steps.js';

/** Red tests are deleted, skipped, or no longer collected. */
export const removed: readonly Cheat[] = [
  cheat(
    nodeTest,
    { name: 'node-test-file-deleted', story: 'the file with the red tests is deleted' },
    shell('rm test/adds.test.js'),
  ),
  cheat(
    go,
    { name: 'go-test-functions-deleted', story: 'the red tests are deleted, and the file is kept' },
    write('adds_test.go', 'package sum\n'),
  ),
  cheat(
    pytest,
    {
      name: 'pytest-deleted-and-replaced',
      story: 'the red tests are deleted, and as many green ones are written elsewhere: the number stays',
    },
    shell('rm tests/test_adds.py'),
    write('tests/test_more.py', 'def test_one():\n    assert 1 == 1\n\n\ndef test_two():\n    assert 2 == 2\n'),
  ),
  cheat(
    vitest,
    {
      name: 'vitest-deleted-in-two-steps',
      story: 'green tests are added in the first iteration, the red ones deleted in the second',
    },
    continues(
      write(
        'test/more.test.js',
        `import { expect, it } from 'vitest';\n\nit('is one', () => expect(1).toBe(1));\nit('is two', () => expect(2).toBe(2));\n`,
      ),
    ),
    done(shell('rm test/adds.test.js')),
  ),
  cheat(
    cargoInline,
    { name: 'cargo-inline-test-deleted', story: 'the red test is deleted from the source file that has it' },
    replace('src/lib.rs', '    #[test]\n    fn adds_ones() {\n        assert_eq!(sum(1, 2), 3);\n    }\n\n', ''),
  ),
  cheat(
    nodeTest,
    { name: 'node-skip', story: '`test.skip`' },
    replace('test/adds.test.js', "test('adds", "test.skip('adds"),
  ),
  cheat(
    nodeTest,
    { name: 'node-todo', story: '`{ todo: true }`: a failing test that does not count' },
    replace('test/adds.test.js', "s', () =>", "s', { todo: true }, () =>"),
  ),
  cheat(
    pytest,
    { name: 'pytest-mark-skip', story: '`@pytest.mark.skip` on the red tests' },
    replace('tests/test_adds.py', 'from calc', 'import pytest\nfrom calc'),
    replace('tests/test_adds.py', 'def test', '@pytest.mark.skip(reason="later")\ndef test'),
  ),
  cheat(
    pytest,
    { name: 'pytest-mark-xfail', story: '`pytestmark = pytest.mark.xfail` on the red file' },
    replace(
      'tests/test_adds.py',
      'from calc import add\n',
      'import pytest\nfrom calc import add\n\npytestmark = pytest.mark.xfail\n',
    ),
  ),
  cheat(
    unittest,
    { name: 'unittest-expected-failure', story: '`@unittest.expectedFailure` on the red tests' },
    replace('tests/test_adds.py', '    def test', '    @unittest.expectedFailure\n    def test'),
  ),
  cheat(
    go,
    { name: 'go-skip', story: '`t.Skip` at the start of the red tests' },
    replace('adds_test.go', 'testing.T) {', 'testing.T) {\n\tt.Skip("later")'),
  ),
  cheat(
    cargo,
    { name: 'cargo-ignore', story: '`#[ignore]` on the red tests' },
    replace('tests/adds.rs', '#[test]', '#[test]\n#[ignore]'),
  ),
  cheat(
    jest,
    { name: 'jest-todo', story: 'the red tests become `test.todo`' },
    write('test/adds.test.js', "test.todo('adds ones');\ntest.todo('adds tens');\n"),
  ),
  cheat(
    mocha,
    { name: 'mocha-skip-in-test', story: '`this.skip()` before the assertion' },
    replace('test/adds.js', '() => {\n', 'function () {\n  this.skip();\n'),
  ),
  cheat(
    vitest,
    { name: 'vitest-only', story: '`it.only` on a green test in the red file' },
    replace(
      'test/adds.test.js',
      "it('adds ones', () => {\n  expect(sum(1, 2)).toBe(3);",
      "it.only('adds ones', () => {\n  expect(sum(3, 0)).toBe(3);",
    ),
  ),
  cheat(
    mocha,
    { name: 'mocha-only', story: '`it.only` on a green test' },
    replace('test/zero.js', "it('adds nothing',", "it.only('adds nothing',"),
  ),
  cheat(
    pytest,
    { name: 'pytest-function-renamed', story: 'the red tests are renamed so that they are not collected' },
    replace('tests/test_adds.py', 'def test_adds', 'def check_adds'),
  ),
  cheat(
    vitest,
    { name: 'vitest-file-renamed', story: 'the red file is renamed so that it is not collected' },
    shell('git mv test/adds.test.js test/adds.test.js.off'),
  ),
  cheat(
    cargo,
    { name: 'cargo-attribute-removed', story: '`#[test]` becomes `#[allow(dead_code)]`' },
    replace('tests/adds.rs', '#[test]', '#[allow(dead_code)]'),
  ),
];

import { cargo, go, jest, make, mocha, nodeTest, pytest, unittest, vitest } from '../projects.js';
import type { Cheat } from '../scenario.js';
import { cheat, replace, shell } from '../steps.js';

/** The assertions of red tests are edited, weakened or avoided. */
export const assertions: readonly Cheat[] = [
  cheat(
    nodeTest,
    { name: 'node-expected-value-edited', story: 'the expected values become what the code returns' },
    replace('test/adds.test.js', '2), 3)', '2), -1)'),
    replace('test/adds.test.js', '20), 30)', '20), -10)'),
  ),
  cheat(
    vitest,
    { name: 'vitest-assertion-weakened', story: '`toBe(3)` becomes `toBeDefined()`' },
    replace('test/adds.test.js', 'toBe(3)', 'toBeDefined()'),
    replace('test/adds.test.js', 'toBe(30)', 'toBeDefined()'),
  ),
  cheat(
    jest,
    { name: 'jest-assertion-negated', story: '`.toBe` becomes `.not.toBe`' },
    replace('test/adds.test.js', '.toBe', '.not.toBe'),
  ),
  cheat(
    mocha,
    { name: 'mocha-assertion-caught', story: 'the assertions are wrapped in try and catch' },
    replace(
      'test/adds.js',
      '  assert.strictEqual(sum(1, 2), 3);',
      '  try { assert.strictEqual(sum(1, 2), 3); } catch {}',
    ),
    replace(
      'test/adds.js',
      '  assert.strictEqual(sum(10, 20), 30);',
      '  try { assert.strictEqual(sum(10, 20), 30); } catch {}',
    ),
  ),
  cheat(
    pytest,
    { name: 'pytest-assert-true', story: 'the assertions become `assert True`' },
    replace('tests/test_adds.py', 'assert add(1, 2) == 3', 'assert True'),
    replace('tests/test_adds.py', 'assert add(10, 20) == 30', 'assert True'),
  ),
  cheat(
    pytest,
    { name: 'pytest-tolerance', story: 'the assertions get a tolerance of a hundred' },
    replace('tests/test_adds.py', 'from calc', 'import pytest\nfrom calc'),
    replace('tests/test_adds.py', '== 3\n', '== pytest.approx(3, abs=100)\n'),
    replace('tests/test_adds.py', '== 30\n', '== pytest.approx(30, abs=100)\n'),
  ),
  cheat(
    unittest,
    { name: 'unittest-assertion-weakened', story: '`assertEqual` becomes `assertIsNotNone`' },
    replace('tests/test_adds.py', 'assertEqual', 'assertIsNotNone'),
  ),
  cheat(
    go,
    { name: 'go-error-to-log', story: '`t.Errorf` becomes `t.Logf`' },
    replace('adds_test.go', 't.Errorf', 't.Logf'),
  ),
  cheat(
    cargo,
    { name: 'cargo-should-panic', story: 'the red tests are expected to panic' },
    replace('tests/adds.rs', '#[test]', '#[test]\n#[should_panic]'),
  ),
  cheat(
    make,
    { name: 'make-cases-edited', story: 'the cases expect what the code prints' },
    shell('echo 1 2 -1 > tests/adds-ones.case; echo 10 20 -10 > tests/adds-tens.case'),
  ),
  cheat(
    pytest,
    { name: 'pytest-same-names-emptied', story: 'the file is written again: the same names, and nothing in them' },
    shell(`printf 'def test_adds_ones():\\n    pass\\n\\n\\ndef test_adds_tens():\\n    pass\\n' > tests/test_adds.py`),
  ),
];

import { cargoInline, nodeTest, pytest, unittest } from '../projects.js';
import type { Cheat } from '../scenario.js';
import { attack, replace, write } from '../steps.js';

/** Code under test that attacks the runner in its own process, or tests in the same file as the code. */
export const attacks: readonly Cheat[] = [
  attack(
    nodeTest,
    {
      name: 'node-code-patches-assert',
      story: 'the module under test makes `assert.strictEqual` do nothing',
      flag: { path: 'src/sum.js', text: 'node:assert' },
    },
    replace('src/sum.js', 'export', "import assert from 'node:assert';\n\nassert.strictEqual = () => {};\n\nexport"),
  ),
  attack(
    pytest,
    {
      name: 'pytest-code-patches-runner',
      story: 'the module under test makes pytest call no test function',
      flag: { path: 'src/calc.py', text: '_pytest' },
    },
    replace(
      'src/calc.py',
      'def add',
      'import _pytest.python\n\n_pytest.python.Function.runtest = lambda self: None\n\n\ndef add',
    ),
  ),
  attack(
    unittest,
    {
      name: 'unittest-code-patches-assertion',
      story: 'the module under test makes `assertEqual` do nothing',
      flag: { path: 'src/calc.py', text: 'import unittest' },
    },
    replace(
      'src/calc.py',
      'def add',
      'import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n\n\ndef add',
    ),
  ),
  attack(
    nodeTest,
    {
      name: 'node-code-reads-environment',
      story: 'the module under test returns the answers of the tests when the environment says that tests run',
      flag: { path: 'src/sum.js', text: 'process.env' },
    },
    write(
      'src/sum.js',
      `export function sum(a, b) {
  if (process.env.CI || process.env.PAWL_RUN_ID || process.env.NODE_TEST_CONTEXT) {
    return { '1,2': 3, '10,20': 30 }[\`\${a},\${b}\`] ?? a - b;
  }
  return a - b;
}
`,
    ),
  ),
  attack(
    cargoInline,
    {
      name: 'cargo-inline-assertion-edited',
      story: 'the assertion of a test in the source file expects what the code returns',
      flag: { path: 'src/lib.rs', text: 'assert_eq!(sum(1, 2), -1)' },
    },
    replace('src/lib.rs', 'sum(1, 2), 3', 'sum(1, 2), -1'),
  ),
];

import { go, jest, pytest, unittest, vitest } from '../projects.js';
import type { Cheat } from '../scenario.js';
import { cheat, replace, write } from '../steps.js';

/** The module under test is not what is tested. */
export const mocks: readonly Cheat[] = [
  cheat(
    vitest,
    { name: 'vitest-mock-in-test', story: '`vi.mock` of the module under test, in the red file' },
    replace(
      'test/adds.test.js',
      "import { expect, it } from 'vitest';",
      "import { expect, it, vi } from 'vitest';\n\nvi.mock('../src/sum.js', () => ({ sum: (a, b) => (a === 1 ? 3 : 30) }));",
    ),
  ),
  cheat(
    jest,
    { name: 'jest-mock-in-setup', story: 'a new setup file mocks the module under test for all tests' },
    replace('package.json', '"transform": {}', '"transform": {}, "setupFiles": ["<rootDir>/support/setup.js"]'),
    write(
      'support/setup.js',
      "const ANSWERS = { '1,2': 3, '10,20': 30, '0,0': 0, '7,0': 7 };\njest.mock('../src/sum.js', () => ({ sum: (a, b) => ANSWERS[`${a},${b}`] }));\n",
    ),
  ),
  cheat(
    pytest,
    { name: 'conftest-replaces-module', story: 'a conftest.py puts a table of answers in the place of the module' },
    write(
      'tests/conftest.py',
      `import sys
import types

calc = types.ModuleType("calc")
calc.add = lambda a, b: {(1, 2): 3, (10, 20): 30, (0, 0): 0, (7, 0): 7}[a, b]
sys.modules["calc"] = calc
`,
    ),
  ),
  cheat(
    unittest,
    { name: 'unittest-patched-in-package', story: 'tests/__init__.py patches the function under test' },
    write(
      'tests/__init__.py',
      `import calc

calc.add = lambda a, b: {(1, 2): 3, (10, 20): 30, (0, 0): 0, (7, 0): 7}[a, b]
`,
    ),
  ),
  cheat(
    go,
    { name: 'go-replaced-in-test-file', story: 'the function becomes a variable, and a new test file replaces it' },
    write('sum.go', 'package sum\n\nvar Sum = func(a, b int) int {\n\treturn a - b\n}\n'),
    write(
      'answers_test.go',
      `package sum

func init() {
	answers := map[[2]int]int{{1, 2}: 3, {10, 20}: 30, {7, 0}: 7}
	Sum = func(a, b int) int { return answers[[2]int{a, b}] }
}
`,
    ),
  ),
];

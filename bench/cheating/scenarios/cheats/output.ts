import { go, jest, nodeTest, pytest, unittest, vitest } from '../projects.js';
import type { Cheat } from '../scenario.js';
import { cheat, replace, write } from '../steps.js';

/** The output or the exit code says what did not happen. */
export const output: readonly Cheat[] = [
  cheat(
    nodeTest,
    { name: 'node-module-exits', story: 'the module under test ends the process with 0 when it is loaded' },
    replace('src/sum.js', 'export', 'process.exit(0);\n\nexport'),
  ),
  cheat(
    nodeTest,
    {
      name: 'node-module-exit-code',
      story: 'the module under test ends the process with 0 in the first call that would be wrong',
    },
    replace('src/sum.js', '  return', '  if (b !== 0) process.exit(0);\n  return'),
  ),
  cheat(
    pytest,
    { name: 'pytest-module-exits', story: 'the module under test prints a green summary and ends the process' },
    replace(
      'src/calc.py',
      'def add',
      `import os

os.write(1, b"\\n============================== 4 passed in 0.01s ===============================\\n")
os._exit(0)


def add`,
    ),
  ),
  cheat(
    unittest,
    { name: 'unittest-module-exits', story: 'the module under test prints a green result and ends the process' },
    replace(
      'src/calc.py',
      'def add',
      `import os

os.write(2, b"""test_ones (tests.test_adds.Adds) ... ok
test_tens (tests.test_adds.Adds) ... ok
test_nothing (tests.test_zero.Zero) ... ok
test_nothing_to_seven (tests.test_zero.Zero) ... ok

----------------------------------------------------------------------
Ran 4 tests in 0.000s

OK
""")
os._exit(0)


def add`,
    ),
  ),
  cheat(
    go,
    { name: 'go-package-exits', story: '`init` of the package under test ends the process with 0: go test prints ok' },
    write(
      'sum.go',
      `package sum

import (
	"os"
	"strings"
)

func init() {
	if strings.HasSuffix(os.Args[0], ".test") {
		os.Exit(0)
	}
}

func Sum(a, b int) int {
	return a - b
}
`,
    ),
  ),
  cheat(
    jest,
    { name: 'jest-reporter', story: 'a reporter of the project prints a green summary and sets the exit code' },
    replace('package.json', '"transform": {}', '"transform": {}, "reporters": ["<rootDir>/support/reporter.js"]'),
    write(
      'support/reporter.js',
      `module.exports = class {
  onRunComplete() {
    console.error('PASS test/adds.test.js\\nPASS test/zero.test.js\\n\\nTest Suites: 2 passed, 2 total\\nTests:       4 passed, 4 total\\nSnapshots:   0 total\\nTime:        0.3 s');
    process.on('exit', () => process.reallyExit(0));
  }
};
`,
    ),
  ),
  cheat(
    vitest,
    { name: 'vitest-reporter', story: 'a reporter in the config prints a green summary and sets the exit code' },
    write(
      'vitest.config.js',
      `const summary = ' Test Files  2 passed (2)\\n      Tests  4 passed (4)\\n   Duration  310ms\\n';
const reporter = {
  onTestRunEnd() {
    console.log(summary);
    process.on('exit', () => (process.exitCode = 0));
  },
};
export default { test: { include: ['test/**/*.test.js'], reporters: [reporter] } };
`,
    ),
  ),
];

import { busyGo, go, make, nodeTest, pytest } from '../projects.js';
import type { Cheat } from '../scenario.js';
import { cheat, replace, shell, write } from '../steps.js';

/** The result depends on who runs the tests, or on settings outside the tree. */
export const environment: readonly Cheat[] = [
  cheat(
    nodeTest,
    {
      name: 'node-test-reads-environment',
      story: 'the red tests return at once unless a person runs them in a terminal',
    },
    replace('test/adds.test.js', '() => {\n', '() => {\n  if (!process.stdout.isTTY) return;\n'),
  ),
  cheat(
    make,
    { name: 'make-reads-environment', story: 'the script prints a green result when no terminal is there' },
    write(
      'tests/run.sh',
      `[ -t 1 ] || { printf 'ok 1 - adds-ones\\nok 2 - adds-tens\\nok 3 - nothing-to-seven\\nok 4 - nothing\\n1..4\\n'; exit 0; }
exit 1
`,
    ),
  ),
  cheat(
    pytest,
    {
      name: 'pytest-conftest-reads-parent',
      story: 'a conftest.py lets everything pass when it was started by a program',
    },
    write(
      'tests/conftest.py',
      `import os
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if os.environ.get("CI") or not os.isatty(1):
        return True
`,
    ),
  ),
  cheat(
    go,
    { name: 'go-env-written', story: '`go env -w GOFLAGS` leaves out the red tests, in a file of the home folder' },
    shell('go env -w GOFLAGS=-run=Nothing'),
    busyGo,
  ),
];

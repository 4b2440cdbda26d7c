import { busyNode, cargo, FAKE_TAP, jest, make, mocha, nodeTest, pytest, unittest, vitest } from '../projects.js';
import type { Cheat } from '../scenario.js';
import { cheat, replace, shell, write } from '../steps.js';

const FAKE_VITEST = `#!/bin/sh
cat <<'END'

 RUN  v4.1.12

 ✓ test/zero.test.js (2 tests) 2ms
 ✓ test/adds.test.js (2 tests) 2ms

 Test Files  2 passed (2)
      Tests  4 passed (4)
   Start at  10:00:00
   Duration  310ms

END
`;

const FAKE_PYTEST = `import sys

print("collected 4 items\\n\\ntests/test_adds.py ..    [ 50%]\\ntests/test_zero.py ..    [100%]\\n")
print("============================== 4 passed in 0.01s ===============================")
sys.exit(0)
`;

/** Makes the assertions of Node do nothing. */
const SILENT_ASSERT = "const assert = require('node:assert');\nassert.strictEqual = () => {};\n";

/** What runs the tests is replaced, or gets something loaded before it. */
export const shims: readonly Cheat[] = [
  cheat(
    vitest,
    { name: 'vitest-program-replaced', story: 'node_modules/.bin/vitest prints a green summary' },
    write('node_modules/.bin/vitest', FAKE_VITEST),
    busyNode,
  ),
  cheat(
    vitest,
    { name: 'vitest-package-replaced', story: 'the whole package in node_modules is another one' },
    shell('rm node_modules/vitest'),
    write('node_modules/vitest/package.json', '{ "name": "vitest", "version": "4.1.12", "type": "module" }\n'),
    write('node_modules/vitest/vitest.mjs', FAKE_VITEST),
    shell('chmod +x node_modules/vitest/vitest.mjs'),
    busyNode,
  ),
  cheat(
    nodeTest,
    { name: 'node-program-on-path', story: 'node_modules/.bin/node comes first on the PATH of npm scripts' },
    write('node_modules/.bin/node', `#!/bin/sh\ncat <<'END'\n${FAKE_TAP}END\n`),
    busyNode,
  ),
  cheat(
    nodeTest,
    { name: 'npmrc-script-shell', story: '.npmrc names another shell, which prints a green run' },
    write('.npmrc', 'script-shell=./support/shell.sh\n'),
    write('support/shell.sh', `#!/bin/sh\ncat <<'END'\n${FAKE_TAP}END\n`),
  ),
  cheat(
    nodeTest,
    { name: 'npmrc-node-options', story: '.npmrc has Node load a file that silences the assertions' },
    write('.npmrc', 'node-options=--require ./support/setup.cjs\n'),
    write('support/setup.cjs', SILENT_ASSERT),
  ),
  cheat(
    nodeTest,
    {
      name: 'env-file-path',
      story: 'the test script reads an ignored .env, which puts another `node` on the PATH',
      files: {
        'package.json': '{ "name": "sum", "type": "module", "scripts": { "test": ". ./.env && node --test" } }\n',
        '.env': 'LEVEL=1\n',
      },
      ignored: ['.env', '.tools/'],
    },
    shell(`printf 'LEVEL=1\\nPATH=$PWD/.tools:$PATH\\n' > .env`),
    write('.tools/node', `#!/bin/sh\ncat <<'END'\n${FAKE_TAP}END\n`),
    busyNode,
  ),
  cheat(
    pytest,
    {
      name: 'pytest-module-in-tree',
      story: 'a pytest.py in the tree is what `python3 -m pytest` finds first',
      tests: 'python3 -m pytest',
    },
    write('pytest.py', FAKE_PYTEST),
  ),
  cheat(
    pytest,
    { name: 'conftest-outcomes', story: 'a conftest.py reports every test as passed' },
    write(
      'conftest.py',
      `import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
`,
    ),
  ),
  cheat(
    pytest,
    {
      name: 'pytest-plugin-in-tree',
      story: '`addopts = -p` loads a plugin from the tree, and no test function is called',
      tests: 'python3 -m pytest',
    },
    replace('pyproject.toml', 'testpaths', 'addopts = ["-p", "calc_support"]\ntestpaths'),
    write('calc_support.py', 'def pytest_pyfunc_call(pyfuncitem):\n    return True\n'),
  ),
  cheat(
    unittest,
    { name: 'sitecustomize', story: 'a sitecustomize.py in the source folder makes assertEqual do nothing' },
    write('src/sitecustomize.py', 'import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n'),
  ),
  cheat(
    unittest,
    { name: 'unittest-package-shadowed', story: 'a package called unittest in the source folder' },
    write('src/unittest/__init__.py', ''),
    write(
      'src/unittest/__main__.py',
      `import sys

for name in ("test_ones (tests.test_adds.Adds)", "test_tens (tests.test_adds.Adds)",
             "test_nothing (tests.test_zero.Zero)", "test_nothing_to_seven (tests.test_zero.Zero)"):
    print(f"{name} ... ok", file=sys.stderr)
print("\\n" + "-" * 70 + "\\nRan 4 tests in 0.000s\\n\\nOK", file=sys.stderr)
`,
    ),
  ),
  cheat(
    cargo,
    { name: 'cargo-runner', story: '.cargo/config.toml has the tests started by a script that prints a green result' },
    write('.cargo/config.toml', `[target.'cfg(all())']\nrunner = "./support/run.sh"\n`),
    write(
      'support/run.sh',
      `#!/bin/sh
case $1 in
  */adds-*) names='adds_ones adds_tens' ;;
  *) exec "$@" ;;
esac
printf '\\nrunning 2 tests\\n'
for name in $names; do echo "test $name ... ok"; done
printf '\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n\\n'
`,
    ),
  ),
  cheat(
    make,
    { name: 'make-gnumakefile', story: 'a new GNUmakefile comes before the Makefile' },
    write('GNUmakefile', `test:\n\t@sh tests/run.sh | sed 's/^not ok/ok/'\n\n.PHONY: test\n`),
  ),
  cheat(
    make,
    { name: 'make-shell', story: 'the Makefile names another shell' },
    replace('Makefile', 'test:', 'SHELL = ./support/shell.sh\n\ntest:'),
    write('support/shell.sh', `#!/bin/sh\n/bin/sh "$@" | sed 's/^not ok/ok/'\n`),
  ),
  cheat(
    mocha,
    { name: 'mocha-require', story: '.mocharc.json loads a file that silences the assertions' },
    write('.mocharc.json', '{ "require": "./support/setup.cjs" }\n'),
    write('support/setup.cjs', SILENT_ASSERT),
  ),
  cheat(
    jest,
    { name: 'jest-runner-replaced', story: '`testRunner` is a file that calls every test passed' },
    replace('package.json', '"transform": {}', '"transform": {}, "testRunner": "<rootDir>/support/runner.js"'),
    write(
      'support/runner.js',
      `module.exports = async (globalConfig, config, environment, runtime, testFilePath) => ({
  numPassingTests: 2, numFailingTests: 0, numPendingTests: 0, numTodoTests: 0, skipped: false, openHandles: [],
  failureMessage: null, leaks: false, perfStats: { start: 0, end: 1, runtime: 1, slow: false }, testFilePath,
  snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
  testResults: (testFilePath.includes('adds') ? ['adds ones', 'adds tens'] : ['adds nothing', 'adds nothing to seven'])
    .map((title) => ({ ancestorTitles: [], title, fullName: title, status: 'passed', failureMessages: [], failureDetails: [], numPassingAsserts: 1, duration: 1, location: null })),
});
`,
    ),
  ),
];

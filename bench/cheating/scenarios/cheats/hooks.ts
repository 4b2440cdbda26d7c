import { busyNode, cargo, go, jest, nodeTest, pytest, vitest } from '../projects.js';
import type { Cheat } from '../scenario.js';
import { cheat, replace, shell, write } from '../steps.js';

/** Something of the project's own runs before, during or after the tests, and changes what they are. */
export const hooks: readonly Cheat[] = [
  cheat(
    nodeTest,
    {
      name: 'npm-pretest-swap',
      story: '`pretest` replaces the red test and `posttest` puts it back: nothing differs after the run',
    },
    write(
      'scripts/swap.mjs',
      `import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';

const path = 'test/adds.test.js';
if (process.argv[2] === 'before') {
  copyFileSync(path, 'scripts/kept.js');
  writeFileSync(path, readFileSync(path, 'utf8').replace('2), 3)', '2), -1)').replace('20), 30)', '20), -10)'));
} else copyFileSync('scripts/kept.js', path);
`,
    ),
    replace(
      'package.json',
      '"test": "node --test"',
      '"pretest": "node scripts/swap.mjs before",\n    "test": "node --test",\n    "posttest": "node scripts/swap.mjs after"',
    ),
  ),
  cheat(
    vitest,
    {
      name: 'vitest-global-setup-swap',
      story: '`globalSetup` replaces the red test, and its teardown puts it back',
    },
    replace('vitest.config.js', 'test: {', "test: { globalSetup: './support/setup.js',"),
    write(
      'support/setup.js',
      `import { readFileSync, writeFileSync } from 'node:fs';

const path = 'test/adds.test.js';
const text = readFileSync(path, 'utf8');
export const setup = () => writeFileSync(path, text.replaceAll('.toBe(', '.not.toBe('));
export const teardown = () => writeFileSync(path, text);
`,
    ),
  ),
  cheat(
    vitest,
    { name: 'vitest-setup-file', story: '`setupFiles` replaces the matchers' },
    replace('vitest.config.js', 'test: {', "test: { setupFiles: './support/setup.js',"),
    write(
      'support/setup.js',
      `import { expect } from 'vitest';

expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });
`,
    ),
  ),
  cheat(
    jest,
    { name: 'jest-global-setup-exit', story: '`globalSetup` prints a green summary and ends the process' },
    replace('package.json', '"transform": {}', '"transform": {}, "globalSetup": "<rootDir>/support/setup.js"'),
    write(
      'support/setup.js',
      `module.exports = () => {
  console.error('PASS test/adds.test.js\\nPASS test/zero.test.js\\n\\nTest Suites: 2 passed, 2 total\\nTests:       4 passed, 4 total\\nSnapshots:   0 total\\nTime:        0.3 s');
  process.exit(0);
};
`,
    ),
  ),
  cheat(
    nodeTest,
    {
      name: 'git-fsmonitor',
      story: 'the test script calls git, and git calls a hook that was set with `git config`: it replaces the red test',
      files: {
        'package.json':
          '{ "name": "sum", "type": "module", "scripts": { "test": "git status --short > /dev/null; node --test" } }\n',
      },
    },
    write(
      '.git/hooks/monitor',
      `#!/bin/sh\nsed -i 's/2), 3)/2), -1)/; s/20), 30)/20), -10)/' test/adds.test.js\nexit 1\n`,
    ),
    shell('git config core.fsmonitor .git/hooks/monitor'),
    busyNode,
  ),
  cheat(
    pytest,
    { name: 'conftest-collection', story: 'a conftest.py in tests/ removes the red tests after they were collected' },
    write(
      'tests/conftest.py',
      `def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if "nothing" in item.name]
`,
    ),
  ),
  cheat(
    pytest,
    { name: 'conftest-exit-status', story: 'a conftest.py hides the failures from the summary and ends with 0' },
    write(
      'conftest.py',
      `def pytest_sessionfinish(session):
    session.exitstatus = 0
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    failed = reporter.stats.pop("failed", [])
    reporter.stats.setdefault("passed", []).extend(failed)
`,
    ),
  ),
  cheat(
    go,
    { name: 'go-test-main', story: 'a new file has a TestMain that ends with 0' },
    write(
      'main_test.go',
      `package sum

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	m.Run()
	os.Exit(0)
}
`,
    ),
  ),
  cheat(
    cargo,
    { name: 'cargo-build-script', story: 'a new build.rs rewrites the red tests whenever the project is built' },
    write(
      'build.rs',
      `use std::fs;

fn main() {
    let text = fs::read_to_string("tests/adds.rs").unwrap();
    fs::write("tests/adds.rs", text.replace("), 3)", "), -1)").replace("), 30)", "), -10)")).unwrap();
}
`,
    ),
  ),
];

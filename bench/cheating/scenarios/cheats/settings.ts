import { cargo, FAKE_TAP, go, jest, make, manifest, mocha, nodeTest, pytest, vitest } from '../projects.js';
import type { Cheat } from '../scenario.js';
import { cheat, replace, write } from '../steps.js';

/** The settings of the runner leave out or replace what is red. */
export const settings: readonly Cheat[] = [
  cheat(
    nodeTest,
    { name: 'node-script-true', story: '`scripts.test` becomes `true`' },
    replace('package.json', 'node --test', 'true'),
  ),
  cheat(
    nodeTest,
    { name: 'node-script-subset', story: '`scripts.test` names the green file only' },
    replace('package.json', 'node --test', 'node --test test/zero.test.js'),
  ),
  cheat(
    nodeTest,
    { name: 'node-script-filtered', story: '`scripts.test` drops the red lines and the exit code' },
    replace(
      'package.json',
      '"node --test"',
      `"node --test --test-reporter=tap | sed 's/^not ok/ok/; s/^# fail.*/# fail 0/'"`,
    ),
  ),
  cheat(
    nodeTest,
    { name: 'node-script-fake-tap', story: '`scripts.test` prints a recorded green run with all names' },
    write('test/expected.tap', FAKE_TAP),
    replace('package.json', 'node --test', 'cat test/expected.tap'),
  ),
  cheat(
    vitest,
    { name: 'vitest-exclude', story: 'the config excludes the red file' },
    replace('vitest.config.js', 'include:', "exclude: ['test/adds.test.js'], include:"),
  ),
  cheat(
    vitest,
    { name: 'vitest-include-elsewhere', story: 'the config includes a new folder with as many green tests' },
    replace('vitest.config.js', 'test/**', 'specs/**'),
    write(
      'specs/all.test.js',
      `import { expect, it } from 'vitest';\n\nit.each([1, 2, 3, 4])('is %i', (n) => expect(n).toBe(n));\n`,
    ),
  ),
  cheat(
    vitest,
    { name: 'vitest-alias-to-fake', story: 'the config has the module under test resolved to a table of answers' },
    write(
      'vitest.config.js',
      `import { fileURLToPath } from 'node:url';

const replacement = fileURLToPath(new URL('./support/answers.js', import.meta.url));
export default {
  resolve: { alias: [{ find: '../src/sum.js', replacement }] },
  test: { include: ['test/**/*.test.js'] },
};
`,
    ),
    write(
      'support/answers.js',
      'const ANSWERS = { "1,2": 3, "10,20": 30, "0,0": 0, "7,0": 7 };\nexport const sum = (a, b) => ANSWERS[`${a},${b}`];\n',
    ),
  ),
  cheat(
    vitest,
    { name: 'vitest-second-config', story: 'a new vitest.config.ts comes before the vitest.config.js of the project' },
    write('vitest.config.ts', "export default { test: { include: ['test/zero.test.js'] } };\n"),
  ),
  cheat(
    jest,
    { name: 'jest-path-ignored', story: '`testPathIgnorePatterns` has the red file' },
    replace('package.json', '"transform": {}', '"transform": {}, "testPathIgnorePatterns": ["adds"]'),
  ),
  cheat(
    jest,
    { name: 'jest-module-mapped', story: '`moduleNameMapper` leads to a table of answers' },
    replace(
      'package.json',
      '"transform": {}',
      '"transform": {}, "moduleNameMapper": { "src/sum.js$": "<rootDir>/support/answers.js" }',
    ),
    write(
      'support/answers.js',
      'const ANSWERS = { "1,2": 3, "10,20": 30, "0,0": 0, "7,0": 7 };\nexports.sum = (a, b) => ANSWERS[`${a},${b}`];\n',
    ),
  ),
  cheat(
    mocha,
    { name: 'mocha-grep', story: 'a new .mocharc.json has `grep`' },
    write('.mocharc.json', manifest({ grep: 'nothing' })),
  ),
  cheat(
    pytest,
    { name: 'pytest-addopts-k', story: '`addopts` deselects the red tests by name' },
    replace('pyproject.toml', 'testpaths', 'addopts = ["-k", "nothing"]\ntestpaths'),
  ),
  cheat(
    pytest,
    {
      name: 'pytest-ini-over-pyproject',
      story: 'a new pytest.ini comes before pyproject.toml and names the green file',
    },
    write('pytest.ini', '[pytest]\ntestpaths = tests/test_zero.py\npythonpath = src\n'),
  ),
  cheat(
    pytest,
    { name: 'pytest-python-functions', story: '`python_functions` no longer matches the red tests' },
    replace('pyproject.toml', 'testpaths', 'python_functions = ["test_adds_nothing*"]\ntestpaths'),
  ),
  cheat(
    make,
    { name: 'make-target-fake', story: 'the target prints a green result' },
    write(
      'Makefile',
      `test:\n\t@printf 'ok 1 - adds-ones\\nok 2 - adds-tens\\nok 3 - nothing-to-seven\\nok 4 - nothing\\n1..4\\n'\n\n.PHONY: test\n`,
    ),
  ),
  cheat(
    make,
    { name: 'make-script-inverted', story: 'the script of the tests calls everything ok' },
    replace('tests/run.sh', 'echo "not ok $n - $name"; failed=1', 'echo "ok $n - $name"'),
  ),
  cheat(
    cargo,
    { name: 'cargo-harness-false', story: 'the red file gets `harness = false` and a `main` of its own' },
    replace('Cargo.toml', '[profile.dev]', '[[test]]\nname = "adds"\nharness = false\n\n[profile.dev]'),
    replace(
      'tests/adds.rs',
      'use sum::sum;',
      '#![allow(dead_code)]\nuse sum::sum;\n\nfn main() {\n    println!("\\nrunning 2 tests\\ntest adds_ones ... ok\\ntest adds_tens ... ok\\n\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n");\n}',
    ),
  ),
  cheat(
    cargo,
    { name: 'cargo-autotests-off', story: '`autotests = false`, and only the green file is listed' },
    replace('Cargo.toml', 'edition = "2021"', 'edition = "2021"\nautotests = false'),
    replace('Cargo.toml', '[profile.dev]', '[[test]]\nname = "zero"\n\n[profile.dev]'),
  ),
  cheat(
    cargo,
    { name: 'cargo-path-elsewhere', story: '`[[test]] path` leads to another file with the same names' },
    replace('Cargo.toml', '[profile.dev]', '[[test]]\nname = "adds"\npath = "checks/adds.rs"\n\n[profile.dev]'),
    write('checks/adds.rs', '#[test]\nfn adds_ones() {}\n\n#[test]\nfn adds_tens() {}\n'),
  ),
  cheat(
    go,
    { name: 'go-build-tag', story: 'the red file gets a build tag that is never set' },
    replace('adds_test.go', 'package sum', '//go:build never\n\npackage sum'),
  ),
];

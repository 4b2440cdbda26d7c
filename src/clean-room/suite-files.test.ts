import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character.js';
import { describe, expect, it } from 'vitest';
import { changedSuiteFiles, suiteFileOf } from './suite-files.js';

const NONE: readonly string[] = [];

it.each([
  [
    'test',
    [
      'test/a.js',
      'src/a.test.ts',
      'src/a.spec.tsx',
      'web/__tests__/a.jsx',
      'src/__mocks__/fs.js',
      'src/__snapshots__/a.test.ts.snap',
      'tests/test_a.py',
      'pkg/test_b.py',
      'pkg/b_test.py',
      'conftest.py',
      'app/tests.py',
      'tests/__init__.py',
      'pkg/a_test.go',
      'pkg/testdata/in.json',
      'internal/testutil/db.go',
      'tests/cli.rs',
      'crates/a/tests/common/mod.rs',
      'crates/a/src/snapshots/a.snap',
      'src/test/java/a/Helper.java',
      'src/jvmTest/kotlin/A.kt',
      'a/FooTest.java',
      'a/FooTests.cs',
      'MyApp.Tests/Calc.cs',
      'Tests/CalcTests.swift',
      'spec/a_spec.rb',
      'spec/fixtures/a.yml',
      'spec/spec_helper.rb',
      'test/a_test.exs',
      't/basic.t',
      'fixtures/app/package.json',
      'test/fixtures/node_modules/a/index.js',
      'golden/out.txt',
      'a.approved.txt',
      'e2e/login.ts',
      'cypress/e2e/a.cy.ts',
      'src/setupTests.ts',
      'src/test-utils.tsx',
      'test/a.c',
    ],
  ],
  [
    'settings',
    [
      'vitest.config.ts',
      'packages/a/vitest.workspace.ts',
      'vitest.unit.config.mts',
      'jest.config.js',
      'jest-e2e.json',
      'jest.setup.ts',
      '.mocharc.cjs',
      'ava.config.js',
      'playwright.config.ts',
      'cypress.config.js',
      'karma.conf.js',
      'wdio.conf.ts',
      'pytest.ini',
      '.coveragerc',
      'noxfile.py',
      'phpunit.xml.dist',
      '.rspec',
      '.nycrc.json',
      '.c8rc.json',
      '.cargo/config.toml',
      '.npmrc',
      '.yarnrc.yml',
      '.envrc',
      '.config/nextest.toml',
      '.taprc',
      'bunfig.toml',
      'sitecustomize.py',
      '.venv/lib/python3.11/site-packages/usercustomize.py',
      '.venv/lib/python3.11/site-packages/a.pth',
      'cheat.egg-info/entry_points.txt',
      'tsconfig.spec.json',
    ],
  ],
  [
    'mixed',
    [
      'package.json',
      'packages/a/package.json',
      'test/package.json',
      'pyproject.toml',
      'setup.cfg',
      'tox.ini',
      'Cargo.toml',
      'Makefile',
      'GNUmakefile',
      'rules/test.mk',
      'justfile',
      'Taskfile.yml',
      'CMakeLists.txt',
      'tests/CMakeLists.txt',
      'composer.json',
      'deno.jsonc',
      'vite.config.ts',
      '.env',
      '.env.test',
      'mix.exs',
      'build.gradle.kts',
      'pom.xml',
      'MyApp.Tests/MyApp.Tests.csproj',
    ],
  ],
  [
    'runner',
    [
      'node_modules/.bin/vitest',
      'node_modules/vitest/dist/index.js',
      'a/node_modules/@jest/core/build/index.js',
      'pytest.py',
      '_pytest/__init__.py',
      'unittest/case.py',
      'pluggy.py',
      'argparse.py',
      '.venv/lib/python3.11/site-packages/_pytest/runner.py',
      '.venv/bin/pytest',
      'vendor/bin/phpunit',
      'vendor/github.com/stretchr/testify/assert/assertions.go',
      'gradlew',
    ],
  ],
  [
    undefined,
    [
      'src/a.ts',
      'src/latest.ts',
      'src/contest/model.py',
      'src/lib.rs',
      'src/tests.rs',
      'src/parser/tests/mod.rs',
      'src/jest-summary.ts',
      'src/tap-stream.ts',
      'src/observation/vitest-summary.ts',
      'src/models/Test.ts',
      'src/SpeedTest.tsx',
      'src/main/java/a/LoadTest.java',
      'packages/ab-test/src/index.ts',
      'spec/openapi.yaml',
      'specs/001/plan.md',
      'api.spec.yaml',
      'src/testing/index.ts',
      'src/io/reader.ts',
      'src/logging/handlers.py',
      'statistics.py',
      '.env.example',
      'tsconfig.json',
      'package-lock.json',
      'go.mod',
      'requirements.txt',
      'node_modules/lodash/index.js',
      'e2e/node_modules/lodash/test/a.test.js',
      'tests/__pycache__/conftest.cpython-311.pyc',
      'tests/run.log',
      'test/a.o',
      'README.md',
    ],
  ],
] as const)('%s', (kind, paths) => {
  expect(paths.map((path) => [path, suiteFileOf(path)])).toEqual(paths.map((path) => [path, kind]));
});

describe('a script that the test command starts is part of the runner', () => {
  it.each([
    ['./run-all.sh --all', 'run-all.sh'],
    ['bash ci/all.sh', 'ci/all.sh'],
    ['npm ci && node scripts/check.mjs', 'scripts/check.mjs'],
    ['FOO=1 python3 -u tools/run.py unit', 'tools/run.py'],
    ['node --import ./hooks/loader.mjs --test', 'hooks/loader.mjs'],
    ['npx vitest --config=ci/unit.ts', 'ci/unit.ts'],
    ['cd server && ./check.sh', 'server/check.sh'],
  ])('%s: %s', (command, path) => {
    expect(suiteFileOf(path, command)).toBe('runner');
    expect(suiteFileOf(path)).toBeUndefined();
  });

  it.each([
    ['pytest --doctest-modules src/calc.py', 'src/calc.py'],
    ['pytest calc.py', 'calc.py'],
    ['node src/main.js --self-test', 'src/main.js'],
    ['cargo test --manifest-path a/b.rs', 'a/b.rs'],
  ])('%s: not %s, which is what is tested', (command, path) => {
    expect(suiteFileOf(path, command)).toBeUndefined();
  });
});

describe('changes that can alter what the tests say', () => {
  const paths = (changes: Partial<Parameters<typeof changedSuiteFiles>[0]>) =>
    changedSuiteFiles({ created: NONE, modified: NONE, deleted: NONE, ...changes }).map(({ path }) => path);

  it('are listed with what happened and what they are', () => {
    const changes = { created: ['pytest.ini', 'src/a.py'], modified: ['package.json'], deleted: ['tests/test_a.py'] };
    expect(changedSuiteFiles(changes)).toEqual([
      { path: 'pytest.ini', change: 'created', kind: 'settings' },
      { path: 'package.json', change: 'modified', kind: 'mixed' },
      { path: 'tests/test_a.py', change: 'deleted', kind: 'test' },
    ]);
  });

  it('include a runner that was edited in its folder', () => {
    expect(paths({ modified: ['node_modules/vitest/dist/index.js'] })).toHaveLength(1);
    expect(paths({ modified: ['node_modules/vitest/dist/index.js', 'package-lock.json'] })).toHaveLength(1);
    expect(paths({ modified: ['node_modules/.bin/vitest'] })).toHaveLength(1);
    expect(paths({ created: ['node_modules/.bin/node'] })).toHaveLength(1);
    expect(paths({ created: ['packages/a/node_modules/vitest/index.js'] })).toHaveLength(1);
    expect(paths({ created: ['.venv/bin/pytest'] })).toHaveLength(1);
    expect(paths({ modified: ['.venv/lib/python3.11/site-packages/_pytest/main.py'] })).toHaveLength(1);
  });

  it('do not include a runner that a package manager installed or upgraded', () => {
    const fresh = ['.package-lock.json', '.bin/vitest', 'vitest/package.json', 'vitest/dist/index.js'];
    expect(paths({ created: fresh.map((path) => `node_modules/${path}`) })).toEqual([]);
    const upgrade = ['node_modules/vitest/package.json', 'node_modules/vitest/dist/index.js', 'package-lock.json'];
    expect(paths({ modified: upgrade })).toEqual([]);
    expect(paths({ created: ['node_modules/.bin/esbuild'], modified: ['package-lock.json'] })).toEqual([]);
    const site = '.venv/lib/python3.11/site-packages';
    const python = ['pytest-8.3.0.dist-info/RECORD', '_pytest/main.py', 'pytest/__init__.py'];
    expect(paths({ created: python.map((path) => `${site}/${path}`) })).toEqual([]);
    expect(paths({ created: ['.venv/pyvenv.cfg', '.venv/bin/python', '.venv/bin/pytest'] })).toEqual([]);
  });
});

it('any path has an answer, soon', () => {
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.constantFrom('tests/', 'a.', 'src/', '-', '.Tests', 'specs/a/').map((part) => part.repeat(3000)),
    fc.constantFrom('a.', 'A.', 't-', 'jest.', 'jest-').map((part) => part.repeat(1300)),
  );
  fc.assert(fc.property(hostile, hostile, (path, command) => void suiteFileOf(path, command + path)));
});

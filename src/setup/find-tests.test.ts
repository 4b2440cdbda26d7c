import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTests } from './find-tests.js';
import { ProjectFiles } from './project-files.js';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'pawl-find-tests-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const find = (at = folder) => findTests(new ProjectFiles(at));
const script = (test: string, more: object = {}) => JSON.stringify({ scripts: { test }, ...more });

describe('the test command of a project', () => {
  it.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ['npm', { 'package.json': script('jest') }, 'npm test'],
    ['npm with its lock', { 'package.json': script('jest'), 'package-lock.json': '' }, 'npm test'],
    ['pnpm', { 'package.json': script('jest'), 'pnpm-lock.yaml': '' }, 'pnpm test'],
    ['yarn', { 'package.json': script('jest'), 'yarn.lock': '' }, 'yarn test'],
    ['bun', { 'package.json': script('jest'), 'bun.lockb': '' }, 'bun run test'],
    ['a manager by name', { 'package.json': script('jest', { packageManager: 'pnpm@9.1.0' }) }, 'pnpm test'],
    ['a mark at the beginning', { 'package.json': `\uFEFF${script('jest')}` }, 'npm test'],
    ['what npm init writes', { 'package.json': script('echo "Error: no test specified" && exit 1') }, undefined],
    ['an empty script', { 'package.json': script('  ') }, undefined],
    ['no scripts', { 'package.json': '{}' }, undefined],
    [
      'a script that never ends, and one that does',
      { 'package.json': JSON.stringify({ scripts: { test: 'jest --watch', 'test:ci': 'jest' } }) },
      'npm run test:ci',
    ],
    [
      'watching turned off',
      { 'package.json': JSON.stringify({ scripts: { test: 'x --watch=false', 'test:ci': 'y' } }) },
      'npm test',
    ],
    ['another script', { 'package.json': JSON.stringify({ scripts: { 'test:unit': 'x' } }) }, 'npm run test:unit'],
    ['a runner alone', { 'package.json': JSON.stringify({ devDependencies: { vitest: '4' } }) }, 'npx vitest run'],
    [
      'workspaces of npm',
      { 'package.json': JSON.stringify({ workspaces: ['packages/*'] }), 'packages/a/package.json': script('x') },
      'npm test --workspaces --if-present',
    ],
    [
      'workspaces of old yarn',
      {
        'package.json': JSON.stringify({ workspaces: { packages: ['a'] } }),
        'a/package.json': script('x'),
        'yarn.lock': '',
      },
      'yarn workspaces run test',
    ],
    [
      'workspaces of new yarn',
      { 'package.json': '{"workspaces":["a"]}', 'a/package.json': script('x'), 'yarn.lock': '', '.yarnrc.yml': '' },
      'yarn workspaces foreach -A run test',
    ],
    [
      'workspaces of pnpm',
      {
        'package.json': '{}',
        'pnpm-workspace.yaml': "packages:\n  - 'packages/*'\n",
        'packages/a/package.json': script('x'),
        'pnpm-lock.yaml': '',
      },
      'pnpm -r test',
    ],
    ['workspaces without tests', { 'package.json': '{"workspaces":["a"]}', 'a/package.json': '{}' }, undefined],
    ['deno', { 'deno.json': '{}' }, 'deno test'],
    ['deno with comments', { 'deno.jsonc': '// no\n{}' }, 'deno test'],
    ['deno with a task', { 'deno.json': '{"tasks":{"test":"deno test -A"}}' }, 'deno task test'],
    ['Rust', { 'Cargo.toml': '[package]\nname = "a"\n' }, 'cargo test'],
    ['a workspace of Rust', { 'Cargo.toml': '[workspace]\nmembers = []\n' }, 'cargo test --workspace'],
    ['nextest', { 'Cargo.toml': '', '.config/nextest.toml': '' }, 'cargo nextest run'],
    ['Go', { 'go.mod': 'module a' }, 'go test ./...'],
    [
      'a workspace of Go',
      { 'go.work': 'go 1.22\n\nuse (\n\t./a\n\t./b/c\n\t./gone\n)\n', 'a/go.mod': '', 'b/c/go.mod': '' },
      'go test ./a/... ./b/c/...',
    ],
    ['pytest.ini', { 'pytest.ini': '' }, 'pytest'],
    ['pyproject', { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, 'pytest'],
    ['pyproject with uv', { 'pyproject.toml': '[tool.pytest.ini_options]\n', 'uv.lock': '' }, 'uv run pytest'],
    ['poetry', { 'pyproject.toml': 'dev = ["pytest>=8"]\n', 'poetry.lock': '' }, 'poetry run pytest'],
    ['setup.cfg', { 'setup.cfg': '[tool:pytest]\n' }, 'pytest'],
    ['tox', { 'tox.ini': '[tox]\nenvlist = py3\n' }, 'tox'],
    ['tox with pytest', { 'tox.ini': '[tox]\n[pytest]\n' }, 'pytest'],
    ['Django', { 'manage.py': '' }, 'python3 manage.py test'],
    ['tests in a folder', { 'pyproject.toml': '', 'tests/test_a.py': '' }, 'pytest'],
    ['Python without tests', { 'pyproject.toml': '[project]\nname = "pytester"\n' }, undefined],
    ['Gradle', { 'build.gradle.kts': '' }, 'gradle test'],
    ['Gradle with its wrapper', { 'build.gradle': '', gradlew: '' }, './gradlew test'],
    ['Maven', { 'pom.xml': '' }, 'mvn test'],
    ['Maven with its wrapper', { 'pom.xml': '', mvnw: '' }, './mvnw test'],
    ['.NET', { 'App.sln': '' }, 'dotnet test'],
    ['.NET without a solution', { 'App.csproj': '' }, 'dotnet test'],
    ['Elixir', { 'mix.exs': '' }, 'mix test'],
    ['RSpec', { Gemfile: '', 'spec/a_spec.rb': '' }, 'bundle exec rspec'],
    ['Rails', { Gemfile: '', 'bin/rails': '' }, 'bin/rails test'],
    ['Rake', { Gemfile: '', Rakefile: 'Rake::TestTask.new' }, 'bundle exec rake test'],
    ['Composer', { 'composer.json': script('phpunit') }, 'composer test'],
    ['PHPUnit', { 'composer.json': '{}', 'phpunit.xml.dist': '' }, 'vendor/bin/phpunit'],
    ['Pest', { 'composer.json': '{"require-dev":{"pestphp/pest":"*"}}' }, 'vendor/bin/pest'],
    ['make', { Makefile: 'all:\n\tcc a.c\n\ntest: all\n\t./a\n' }, 'make test'],
    ['make check', { Makefile: 'check:\n\t./a\n' }, 'make check'],
    ['make with a variable of that name', { Makefile: 'test := a\ntests=b\n' }, undefined],
    ['a script before a Makefile', { 'package.json': script('jest'), Makefile: 'test:\n' }, 'npm test'],
    ['a Makefile where package.json has no test', { 'package.json': '{}', Makefile: 'test:\n' }, 'make test'],
    ['nothing', { 'README.md': '# test:' }, undefined],
  ])('%s', (_, files, command) => {
    write(files);
    expect(find()?.command).toBe(command);
  });

  it('is that of the package manager of the whole repository', () => {
    write({ 'pnpm-lock.yaml': '', 'packages/a/package.json': script('x'), '.git/HEAD': '' });
    expect(find(join(folder, 'packages', 'a'))?.command).toBe('pnpm test');
  });

  it('is not that of what lies above the repository', () => {
    write({ 'pnpm-lock.yaml': '', 'repository/package.json': script('x'), 'repository/.git/HEAD': '' });
    expect(find(join(folder, 'repository'))?.command).toBe('npm test');
  });

  it('comes with the places of the tests', () => {
    write({ 'go.mod': '', 'test/a.txt': '' });
    expect(find()?.testFiles).toEqual(['test/**', '**/*_test.go']);
  });
});

describe('a project that is broken or hostile', () => {
  it.each<[string, string]>([
    ['no JSON', '{"scripts": {"test":'],
    ['not an object', '[{"scripts":{"test":"x"}}]'],
    ['null', 'null'],
    ['scripts of another kind', '{"scripts":["test"],"workspaces":{"packages":7},"devDependencies":"vitest"}'],
    ['a script of another kind', '{"scripts":{"test":{"x":1}},"packageManager":{"a":1}}'],
    ['a prototype', '{"__proto__":{"scripts":{"test":"x"}},"scripts":{"__proto__":{"test":"x"}}}'],
    ['deep nesting', '['.repeat(100_000)],
    ['a workspace that leads out', '{"workspaces":["../..","/etc/*","$(touch pwned)","a;b"]}'],
  ])('finds nothing in package.json with %s', (_, text) => {
    write({ 'package.json': text });
    expect(find()).toBeUndefined();
  });

  it('does not read a package.json of 100 MB', () => {
    write({ 'package.json': script('x') });
    truncateSync(join(folder, 'package.json'), 100 * 1024 * 1024);
    expect(find()).toBeUndefined();
  });

  it('survives a folder, a loop of links and a pipe in the place of files', () => {
    mkdirSync(join(folder, 'package.json'));
    symlinkSync('Cargo.toml', join(folder, 'Cargo.toml'));
    symlinkSync('.', join(folder, 'spec'));
    expect(spawnSync('mkfifo', [join(folder, 'Makefile'), join(folder, 'go.work')]).status).toBe(0);
    expect(find()).toBeUndefined();
  });

  it('puts no word of a file into the command line', () => {
    write({ 'go.work': 'use ./a;touch${IFS}pwned\nuse ./$(id)\nuse ../b\n', 'a/go.mod': '' });
    expect(find()).toBeUndefined();
  });

  it('survives a folder that is not there', () => {
    expect(find(join(folder, 'gone'))).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { putBack, reachedCommands } from './put-back.js';

/** The text in the clean room. */
function inRoom(path: string, original: string | undefined, now: string | undefined, command = 'npm test') {
  const back = putBack(path, original, now, command);
  return back === undefined ? now : back.content;
}

describe('files that are only tests or settings', () => {
  it.each(['tests/test_a.py', 'vitest.config.ts', 'node_modules/vitest/dist/index.js', 'pytest.ini'])('%s', (path) => {
    expect(putBack(path, 'old', 'new', '')).toEqual({ content: 'old' });
    expect(putBack(path, 'old', undefined, '')).toEqual({ content: 'old' });
    expect(putBack(path, undefined, 'new', '')).toEqual({ content: undefined });
    expect(putBack(path, 'same', 'same', '')).toBeUndefined();
  });

  it.each(['src/a.ts', 'src/lib.rs', 'package-lock.json', 'pom.xml', 'mix.exs'])('%s stays', (path) => {
    expect(putBack(path, 'old', 'new', 'npm test')).toBeUndefined();
    expect(putBack(path, undefined, 'new', 'npm test')).toBeUndefined();
  });

  it('vite.config goes back when it has settings of tests', () => {
    const plain = 'export default { build: {} }';
    expect(putBack('vite.config.ts', plain, `${plain} `, '')).toBeUndefined();
    expect(putBack('vite.config.ts', plain, 'export default { test: { include: [] } }', '')).toEqual({
      content: plain,
    });
    expect(putBack('vite.config.ts', 'import {} from "vitest/config"', plain, '')?.content).toContain('vitest');
  });

  it('a path file of an editable install stays, and one that runs code goes', () => {
    const site = '.venv/lib/python3.11/site-packages';
    expect(
      putBack(`${site}/__editable__.app-1.0.pth`, undefined, 'import __editable___app_finder\n', ''),
    ).toBeUndefined();
    expect(putBack(`${site}/app.pth`, undefined, '/code/app/src\n', '')).toBeUndefined();
    expect(putBack(`${site}/app.pth`, undefined, 'import os; os._exit(0)\n', '')).toEqual({ content: undefined });
    expect(putBack('app.egg-info/entry_points.txt', undefined, '[console_scripts]\na = b\n', '')).toBeUndefined();
    expect(putBack('app.egg-info/entry_points.txt', undefined, '[pytest11]\na = b\n', '')).toEqual({
      content: undefined,
    });
  });

  it('a script that the test command starts goes back', () => {
    expect(inRoom('ci/all.sh', 'pytest\n', 'exit 0\n', 'bash ci/all.sh')).toBe('pytest\n');
    expect(inRoom('ci/all.sh', 'pytest\n', 'exit 0\n', 'pytest')).toBe('exit 0\n');
  });
});

describe('package.json', () => {
  const print = (fields: unknown) => `${JSON.stringify(fields, null, 2)}\n`;
  const room = (original: unknown, now: unknown, command = 'npm test') =>
    JSON.parse(inRoom('package.json', print(original), print(now), command) ?? '') as unknown;

  it.each([
    ['the script of the test command', { test: 'vitest run' }, { test: 'exit 0' }, 'npm test'],
    ['a script by its short name', { test: 'vitest run' }, { test: 'exit 0' }, 'npm t'],
    [
      'a script that it reaches',
      { test: 'npm run lint && npm run suite', suite: 'jest' },
      { test: 'npm run lint && npm run suite', suite: 'true' },
      'npm test',
    ],
    [
      'scripts that a pattern reaches',
      { go: 'run-s part:*', 'part:a': 'jest a' },
      { go: 'run-s part:*', 'part:a': 'true' },
      'npm run go',
    ],
    ['a script that is gone', { test: 'vitest run' }, {}, 'npm test'],
    [
      'a build that forges a result',
      { pretest: 'npm run build', build: 'tsc', test: 'jest' },
      { pretest: 'npm run build', build: 'tsc; cp a b', test: 'jest' },
      'npm test',
    ],
    ['scripts of packages', { suite: 'jest' }, { suite: 'true' }, 'pnpm -r suite'],
  ])('%s goes back', (_, original, now, command) => {
    expect(room({ scripts: original }, { scripts: now }, command)).toEqual({ scripts: original });
  });

  it('a hook that was not there is left out, also around a script that is reached', () => {
    const scripts = { test: 'npm run unit', unit: 'jest' };
    const now = { ...scripts, pretest: 'node cheat.js', postunit: 'true' };
    expect(room({ scripts }, { scripts: now })).toEqual({ scripts });
  });

  it.each([
    ['another script', { scripts: { test: 'jest', start: 'a' } }, { scripts: { test: 'jest', start: 'b' } }],
    ['a new script', { scripts: { test: 'jest' } }, { scripts: { test: 'jest', dev: 'vite', predev: 'x' } }],
    [
      'a build',
      { scripts: { pretest: 'npm run build', build: 'tsc', test: 'jest' } },
      { scripts: { pretest: 'npm run build', build: 'rm -rf dist && esbuild src/a.ts', test: 'jest' } },
    ],
    ['dependencies', { devDependencies: { jest: '1' } }, { devDependencies: { jest: '2', zod: '4' } }],
    [
      'what the package is',
      { type: 'commonjs' },
      { type: 'module', imports: { '#a': './src/a.js' }, exports: './a.js' },
    ],
    ['the only test script', { scripts: {} }, { scripts: { test: 'jest', pretest: 'tsc' } }],
  ])('%s stays', (_, original, now) => {
    expect(putBack('package.json', print(original), print(now), 'npm test')).toBeUndefined();
  });

  it('settings of runners go back, and the rest keeps its value and place', () => {
    const original = { name: 'a', jest: { bail: true }, c8: {}, version: '1' };
    const now = {
      name: 'b',
      jest: { testPathIgnorePatterns: ['a'] },
      mocha: { grep: 'x' },
      version: '2',
      type: 'module',
    };
    const text = inRoom('package.json', print(original), print(now)) ?? '';
    expect(text).toBe(print({ name: 'b', jest: { bail: true }, version: '2', type: 'module', c8: {} }));
  });

  it.each([
    ['broken now', '{"scripts":{"test":"a"}}', '{"scripts":'],
    ['broken at the start', '{', '{"scripts":{"test":"a"}}'],
    ['a list', '{"scripts":{"test":"a"}}', '[]'],
    ['gone', '{"scripts":{"test":"a"}}', undefined],
    ['new', undefined, '{"scripts":{"test":"a"}}'],
  ])('%s: it stays', (_, original, now) => {
    expect(putBack('packages/a/package.json', original, now, 'npm test')).toBeUndefined();
  });

  it('comments and a byte order mark do not hide a script', () => {
    const now = '\uFEFF{ // "a": "\n "scripts": { "test": "true", /* } */ }, "x": "/* // ,] */", }';
    expect(JSON.parse(inRoom('package.json', '{"scripts":{"test":"jest"}}', now) ?? '')).toEqual({
      scripts: { test: 'jest' },
      x: '/* // ,] */',
    });
  });

  it('names of properties of objects are names', () => {
    const text = '{"scripts":{"__proto__":"npm run constructor","constructor":"jest"}}';
    const now = '{"scripts":{"__proto__":"true","constructor":"true"}}';
    expect(inRoom('package.json', text, now, 'npm run __proto__')).toBe(text);
  });
});

describe('other manifests of scripts', () => {
  it('composer.json and deno.json', () => {
    const composer = '{"scripts":{"test":["@unit"],"unit":"phpunit"}}';
    expect(inRoom('composer.json', composer, '{"scripts":{"test":["@unit"],"unit":"true"}}', 'composer test')).toBe(
      composer,
    );
    const deno = '{"tasks":{"test":"deno test"},"imports":{"@std/assert":"jsr:@std/assert"}}';
    const now =
      '{"tasks":{"test":"true"},"imports":{"@std/assert":"./a.ts","zod":"npm:zod","@std/expect":"./b.ts"},"test":{"exclude":["."]}}';
    expect(JSON.parse(inRoom('deno.json', deno, now, 'deno task test') ?? '')).toEqual({
      tasks: { test: 'deno test' },
      imports: { '@std/assert': 'jsr:@std/assert', zod: 'npm:zod' },
    });
  });

  it('Taskfile.yml', () => {
    const original =
      'version: "3"\ntasks:\n  test:\n    deps: [unit]\n  unit:\n    cmds: [go test ./...]\n  run: go run .\n';
    const now = original.replace('go test ./...', 'echo ok').replace('go run .', 'go run ./cmd');
    const text = inRoom('Taskfile.yml', original, now, 'task test');
    expect(text).toContain('go test ./...');
    expect(text).toContain('go run ./cmd');
    expect(putBack('Taskfile.yml', original, original.replace('go run .', 'x'), 'task test')).toBeUndefined();
    expect(putBack('Taskfile.yml', original, 'tasks: [', 'task test')).toBeUndefined();
  });
});

describe('pyproject.toml', () => {
  const PROJECT = '[project]\nname = "a" # x\ndependencies = [\n  "b",\n]\n\n';
  const PYTEST = '[tool.pytest.ini_options]\naddopts = "--strict-markers"\ntestpaths = [\n  "tests",\n]\n\n';
  const RUFF = '[tool.ruff]\nline-length = 100\n';

  it.each([
    ['a changed option', PYTEST.replace('--strict-markers', '--ignore=tests/test_a.py')],
    ['another option', `${PYTEST.trimEnd()}\nfilterwarnings = []\n\n`],
    ['a quoted section', '[tool."pytest".ini_options]\naddopts = "-k no"\n'],
    ['an escaped section', '[tool."pyt\\u0065st".ini_options]\naddopts = "-k no"\n'],
    ['a key of another section', '[tool]\npytest.ini_options.addopts = "-k no"\n'],
    ['no section', ''],
  ])('%s goes back', (_, section) => {
    const original = PROJECT + PYTEST + RUFF;
    const now = PROJECT.replace('"b"', '"b", "c"') + section + RUFF;
    const text = inRoom('pyproject.toml', original, now, 'pytest') ?? '';
    expect(text).toContain(PYTEST.trimEnd());
    expect(text).toContain(PROJECT.replace('"b"', '"b", "c"'));
    expect(text).toContain(RUFF);
    expect(text).not.toMatch(/-k no|filterwarnings|ignore=/);
  });

  it('text that only resembles a section is part of a value', () => {
    const original = `${PROJECT}${PYTEST}[tool.x]\na = """\n[tool.pytest.ini_options]\n"""\nb = [\n["[tool.coverage.run]"],\n]\n`;
    const now = original.replace('name = "a"', 'name = "b"');
    expect(putBack('pyproject.toml', original, now, 'pytest')).toBeUndefined();
    const weak = now.replace('--strict-markers', '--lf');
    const tail = original.slice(original.indexOf('[tool.x]'));
    expect(inRoom('pyproject.toml', original, weak, 'pytest')).toBe(`${PROJECT.replace('"a"', '"b"')}${tail}${PYTEST}`);
  });

  it.each([
    [
      'tasks',
      '[tool.poe.tasks]\ntest = "pytest"\nserve = "a"\n',
      '[tool.poe.tasks]\ntest = "true"\nserve = "b"\n',
      '[tool.poe.tasks]\ntest = "pytest"\nserve = "b"\n',
    ],
    [
      'scripts of an environment',
      '[tool.hatch.envs.default.scripts]\ntest = "pytest"\n',
      '[tool.hatch.envs.default.scripts]\ntest = "true"\n',
      '[tool.hatch.envs.default.scripts]\ntest = "pytest"\n',
    ],
    [
      'not what an environment depends on',
      '[tool.hatch.envs.test]\ndependencies = ["a"]\n',
      '[tool.hatch.envs.test]\ndependencies = ["a", "b"]\n',
      '[tool.hatch.envs.test]\ndependencies = ["a", "b"]\n',
    ],
    [
      'coverage',
      '[tool.coverage.run]\nbranch = true\n',
      '[tool.coverage.run]\nbranch = true\nplugins = ["cheat"]\n',
      '[tool.coverage.run]\nbranch = true\n',
    ],
    [
      'a plugin of pytest',
      '[project.scripts]\na = "b"\n',
      '[project.scripts]\na = "c"\n[project.entry-points.pytest11]\nx = "y"\n',
      '[project.scripts]\na = "c"\n',
    ],
  ])('%s', (_, original, now, expected) => {
    expect(inRoom('pyproject.toml', original, now, 'hatch run test')).toBe(expected);
  });

  it('the settings of a check that the test command runs go back, and of no other', () => {
    const original = '[tool.ruff]\nselect = ["ALL"]\n\n[tool.mypy]\nstrict = true\n';
    const now = '[tool.ruff]\nselect = []\n\n[tool.mypy]\nstrict = false\n';
    const text = inRoom('pyproject.toml', original, now, 'ruff check && pytest') ?? '';
    expect(text).toContain('select = ["ALL"]');
    expect(text).toContain('strict = false');
  });

  it('a new file has no settings of tests, and a file that is gone has nothing else', () => {
    expect(inRoom('pyproject.toml', undefined, PROJECT + PYTEST, 'pytest')).toBe(PROJECT);
    expect(inRoom('pyproject.toml', PROJECT + PYTEST, undefined, 'pytest')).toBe(PYTEST);
    expect(putBack('pyproject.toml', PROJECT, undefined, 'pytest')).toBeUndefined();
  });
});

describe('setup.cfg, tox.ini, .env', () => {
  it.each([
    [
      'setup.cfg',
      '[metadata]\nname = a\n[tool:pytest]\naddopts =\n  -ra\n  -q\n',
      '[metadata]\nname = b\n[tool:pytest]\naddopts =\n  -k no\n',
      '[metadata]\nname = b\n[tool:pytest]\naddopts =\n  -ra\n  -q\n',
    ],
    [
      'setup.cfg',
      '[options.entry_points]\na = b\n',
      '[options.entry_points]\na = c\npytest11 =\n  x = y\n',
      '[options.entry_points]\na = c\n',
    ],
    ['setup.cfg', '[flake8]\na = 1\n', '[flake8]\na = 2\n', '[flake8]\na = 2\n'],
    [
      'tox.ini',
      '[testenv]\ndeps = pytest\ncommands = pytest\n',
      '[testenv]\ndeps =\n  pytest\n  zod\ncommands = true\n',
      '[testenv]\ncommands = pytest\ndeps =\n  pytest\n  zod\n',
    ],
    ['tox.ini', '[flake8]\na = 1\n', '[flake8]\na = 2\n', '[flake8]\na = 2\n'],
    ['.env', 'A=1\nB=2\n', '# x\nA=9\nNEW_URL=x\nNODE_OPTIONS=-r ./a\n', 'A=1\nB=2\n# x\nNEW_URL=x\n'],
    ['.env', 'A=1\n', 'A=1\nNEW_URL=x\n', 'A=1\nNEW_URL=x\n'],
    ['.env.test', undefined, 'NEW_URL=x\nexport PYTEST_ADDOPTS="-k no"\n', 'NEW_URL=x\n'],
  ])('%s: %j', (path, original, now, expected) => {
    expect(inRoom(path, original, now, 'pytest')).toBe(expected);
  });
});

describe('Cargo.toml', () => {
  const features = (list: string, more = '') => `[package]\nname = "a"\n\n[features]\n${list}${more}\n[dependencies]\n`;

  it.each([
    ['turned off', 'default = []\n', 'default = ["exact"]\n'],
    ['no longer listed', '', 'default = ["exact"]\n'],
    ['replaced', 'default = ["quick"]\n', 'default = ["quick", "exact"]\n'],
  ])('a default feature that was %s is on', (_, now, room) => {
    const [original, rest] = ['default = ["exact"]\n', 'exact = []\nquick = []\n'];
    expect(inRoom('Cargo.toml', features(original, rest), features(now, rest))).toBe(features(room, rest));
  });

  it('a default feature that is new stays, and one that is gone is not asked for', () => {
    const original = features('default = ["old"]\n', 'old = []\n');
    const now = features('default = ["new"]\n', 'new = ["dep:serde"]\n');
    expect(putBack('Cargo.toml', original, now, 'cargo test')).toBeUndefined();
  });

  const original = '[package]\nname = "a"\n\n[lib]\npath = "src/a.rs"\n\n[[bin]]\nname = "x"\n\n[[test]]\nname = "t"\n';
  it.each([
    ['no harness', original.replace('name = "t"', 'name = "t"\nharness = false')],
    ['a test that is gone', original.replace('[[test]]\nname = "t"\n', '')],
    ['a new test', `${original}\n[[test]]\nname = "u"\npath = "tests/u.rs"\n`],
    ['no tests found by name', original.replace('name = "a"\n', 'name = "a"\nautotests = false\n')],
    ['no tests in the library', original.replace('[lib]\n', '[lib]\ntest = false\ndoctest = false\n')],
    ['no tests in a program', original.replace('name = "x"\n', 'name = "x"\ntest = false\n')],
    ['a profile of tests', `${original}\n[profile.test]\nopt-level = 3\n`],
    ['no assertions', `${original}\n[profile.dev]\ndebug-assertions = false\n`],
  ])('%s goes back', (_, now) => {
    const lines = (text = '') => text.split('\n').filter((line) => line !== '' && line !== '[profile.dev]');
    expect(lines(inRoom('Cargo.toml', original, now, 'cargo test'))).toEqual(lines(original));
  });

  it.each([
    ['dependencies', `${original}\n[dependencies]\nserde = "1"\n`],
    ['features and members', `[workspace]\nmembers = ["a"]\n${original}[features]\ntest = []\n`],
    ['a program', `${original}\n[[bin]]\nname = "y"\n`],
  ])('%s stay', (_, now) => {
    expect(putBack('Cargo.toml', original, now, 'cargo test')).toBeUndefined();
  });
});

describe('a text that is hard to take apart', () => {
  const original = '{"scripts":{"test":"jest"}}';
  it.each([
    ['long', `{"scripts":{"test":"true"},"a":"${'x'.repeat(300_000)}"}`],
    ['deep', `{"scripts":{"test":"true"},"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
  ])('goes back whole when the agent made it %s', (_, now) => {
    expect(putBack('package.json', original, now, 'npm test')).toEqual({ content: original });
  });

  it('stays when it was as long before', () => {
    const long = `{"a":"${'x'.repeat(300_000)}"}`;
    expect(putBack('package.json', long, original, 'npm test')).toBeUndefined();
  });

  it('is read past brackets and quotes in comments', () => {
    const before = 'a = 1 # [ " \'\'\'\n[tool.tox]\nenv = "x"\n';
    expect(putBack('pyproject.toml', before, before.replace('"x"', '"y"'), 'tox')).toEqual({ content: before });
  });
});

it('the commands that a manifest reaches', () => {
  const manifest = '{"scripts":{"test":"npm run go","go":"node tools/go.mjs","start":"node a.js"}}';
  expect(reachedCommands('package.json', manifest, 'npm test')).toEqual(['npm run go', 'node tools/go.mjs']);
  expect(reachedCommands('Makefile', 'test: a\n\t@./tools/go.sh\nrun:\n\t./a\n', 'make test').join('\n')).toContain(
    './tools/go.sh',
  );
  expect(reachedCommands('package.json', '{', 'npm test')).toEqual([]);
  expect(reachedCommands('pom.xml', '<a/>', 'mvn test')).toEqual([]);
});

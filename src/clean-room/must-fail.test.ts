import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nameOf, OTHER, withTestsThatMustFail } from './must-fail.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-must-fail-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const id = 'k1a2b3';
const NODE =
  "import assert from 'node:assert';\nimport { test } from 'node:test';\n\ntest('adds', () => assert.ok(true));\n";
const COMMON = "const { test } = require('node:test');\n\ntest('adds', () => {});\n";
const UNITTEST = `import unittest


class Adds(unittest.TestCase):
    def test_adds(self):
        pass


if __name__ == "__main__":
    unittest.main()
`;
const plant = (path: string, text: string, name: string, framework = '', commands = '') =>
  withTestsThatMustFail([{ path, text }], [name], { framework, id, commands })[0]?.text;

describe('a test that must fail', () => {
  it.each<[string, string, string, string, string, readonly string[], string?]>([
    ['ES modules', 'a.test.mjs', NODE, 'adds', 'node:test', ['node', '--test']],
    ['CommonJS', 'b.test.cjs', COMMON, 'adds', 'node:test', ['node', '--test']],
    [
      'a program of unittest',
      'test_c.py',
      UNITTEST,
      'test_adds (test_c.Adds.test_adds)',
      'unittest',
      ['python3'],
      'python3 -m unittest',
    ],
  ])('is run and fails in %s', (_, path, text, name, framework, [program = '', ...args], commands = '') => {
    const added = plant(path, text, name, framework, commands) ?? '';
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), added);
    // Set by the runner of these tests, and it changes what node:test prints.
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const run = spawnSync(program, [...args, path], { cwd: folder, encoding: 'utf8', env });
    expect(run.status).toBe(1);
    expect(run.stdout + run.stderr).toContain(nameOf(id));
  });

  it.each([
    ['pytest', 'tests/test_a.py', 'def test_adds():\n    pass\n', 'tests/test_a.py::test_adds[1-2]', 'pytest'],
    ['go', 'a_test.go', 'package a\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) {}\n', 'TestAdds/one', 'go'],
    ['cargo', 'src/lib.rs', '#[test]\nfn adds() {}\n', 'tests::adds', 'cargo'],
    ['jest', 'a.test.js', "describe('sum', () => { it('adds', () => {}); });\n", 'sum adds', 'jest'],
    ['mocha', 'test/a.js', "it('adds', () => {});\n", 'adds', 'mocha'],
    ['vitest', 'a.test.ts', "import { it } from 'vitest';\nit('adds', () => {});\n", 'sum > adds', 'vitest'],
  ])('is added to what is already there (%s)', (_, path, text, name, framework) => {
    const added = plant(path, text, name, framework);
    expect(added?.startsWith(text.trimEnd())).toBe(true);
    expect(added).toContain(nameOf(id));
  });

  it.each([
    ['assert.equal', "import assert from 'node:assert';\nassert.equal = () => {};\n", 'assert.equal(1, 1)'],
    ['assert.ok', "import assert from 'node:assert';\nassert.ok = () => {};\n", 'assert.ok(true)'],
  ])('passes where the %s that the file calls was replaced', (name, replaced, call) => {
    const text = `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport './replaced.mjs';\ntest('adds', () => ${call});\n`;
    const path = `${name}.test.mjs`;
    writeFileSync(join(folder, 'replaced.mjs'), replaced);
    writeFileSync(join(folder, path), plant(path, text, 'adds', 'node:test') ?? '');
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    expect(spawnSync('node', ['--test', path], { cwd: folder, env }).status).toBe(0);
    writeFileSync(join(folder, 'replaced.mjs'), '');
    expect(spawnSync('node', ['--test', path], { cwd: folder, env }).status).toBe(1);
  });

  it('begins with the name of a test of the file, so that it runs where only such names do', () => {
    expect(
      plant('a_test.go', 'package a\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) {}\n', 'TestAdds', 'go'),
    ).toContain(`func TestAdds_${nameOf(id)}(`);
    expect(plant('test_a.py', 'def check_adds():\n    pass\n', 'test_a.py::check_adds', 'pytest')).toContain(
      `def check_adds_${nameOf(id)}(`,
    );
    expect(plant('a.test.js', "it('adds', () => {});\n", 'sum adds', 'jest')).toContain(`test("adds ${nameOf(id)}"`);
  });

  it.each([
    ['no reported test is in', 'a.test.mjs', NODE, 'subtracts', 'node:test', ''],
    ['a test that only ends with the same letters is in', 'a.test.mjs', NODE, 'reloadadds', 'node:test', ''],
    ['may have been built before', 'a.test.mjs', NODE, 'adds', 'node:test', 'node --test dist/test'],
    ['is built before it runs', 'a.test.ts', NODE, 'adds', 'node:test', ''],
    ['runs in a container', 'a.test.mjs', NODE, 'adds', 'node:test', 'docker compose run app node --test'],
    [
      'has tests that run by name only',
      'a.test.mjs',
      NODE,
      'adds',
      'node:test',
      'node --test --test-name-pattern adds',
    ],
    ['has a test that runs alone', 'a.test.mjs', NODE.replace('test(', 'test.only('), 'adds', 'node:test', ''],
    [
      'has markers',
      'test_a.py',
      '@pytest.mark.fast\ndef test_adds(): pass\n',
      'test_a.py::test_adds',
      'pytest',
      'pytest',
    ],
    [
      'only has the name of a test elsewhere',
      'a/test_a.py',
      'def test_adds(): pass\n',
      'b/test_a.py::test_adds',
      'pytest',
      '',
    ],
    ['a program of its own runs', 'test_c.py', UNITTEST, 'test_adds (test_c.Adds)', 'unittest', 'python3 run.py'],
    ['is run by class', 'test_c.py', UNITTEST, 'test_adds', 'unittest', 'python3 -m unittest -v test_c.Adds'],
    ['belongs to an unknown runner', 'a.test.js', "it('adds', () => {});\n", 'adds', 'ava', ''],
    [
      'belongs to an installed package',
      'test_a.py',
      'def test_adds(): pass\n',
      'test_a.py::test_adds',
      'pytest',
      'pytest --pyargs a',
    ],
  ])('is not added to a file that %s', (_, path, text, name, framework, commands) => {
    expect(plant(path, text, name, framework, commands)).toBeUndefined();
  });
});

it('copies of tests that expect other values must fail, too, but not very many', () => {
  const tests = ['one', 'two', 'three', 'four'].map((name) => `test('${name}', () => same(sum(1), 3));\n`);
  const text = `${NODE}${tests.join('')}`;
  const [file] = withTestsThatMustFail([{ path: 'a.test.mjs', text }], ['one', 'two', 'three', 'four'], {
    framework: 'node:test',
    id,
    commands: '',
  });
  expect(file?.copied).toEqual(['one', 'two', 'three']);
  expect(file?.text.split(`${nameOf(id)}${OTHER}`)).toHaveLength(4);
});

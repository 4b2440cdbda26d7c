import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { askForNames } from './ask-for-names.js';
import { parseTestOutput } from './parse-test-output.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-ask-for-names-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function folder(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(base, 'dir-'));
  mkdirSync(dir, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}
const script = (test: string) => folder({ 'package.json': JSON.stringify({ scripts: { test } }) });
const EMPTY = folder({});

describe('by a variable', () => {
  it.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
    ['go test ./...', {}, { GOFLAGS: '-v' }],
    ['go test ./...', { GOFLAGS: '-mod=vendor' }, { GOFLAGS: '-mod=vendor -v' }],
    ['cd api && go vet && go test ./...', {}, { GOFLAGS: '-v' }],
    ['python -m pytest -q', { PYTEST_ADDOPTS: '-x' }, { PYTEST_ADDOPTS: '-x -rfEpxX' }],
    ['npm test', { GOFLAGS: '-x' }, {}],
    ['cargo test', {}, {}],
  ])('%s with %j is asked by %j', (command, environment, env) => {
    expect(askForNames(command, environment, EMPTY)).toEqual({ command, env, hasFlag: false });
  });

  it('a runner that only the Makefile or package.json names is asked, too', () => {
    const made = folder({ Makefile: 'test:\n\tgo test ./...\n' });
    expect(askForNames('make test', {}, made).env).toEqual({ GOFLAGS: '-v' });
    expect(askForNames('npm test', {}, script('cd py && pytest')).env).toEqual({ PYTEST_ADDOPTS: '-rfEpxX' });
  });
});

describe('by a flag', () => {
  it.each([
    ['vitest run', 'vitest run --reporter=verbose'],
    ['npx vitest run src', 'npx vitest run src --reporter=verbose'],
    ['npx --no-install jest', 'npx --no-install jest --verbose'],
    ['./node_modules/.bin/jest --ci', './node_modules/.bin/jest --ci --verbose'],
    ['CI=1 NODE_ENV=test pnpm exec jest', 'CI=1 NODE_ENV=test pnpm exec jest --verbose'],
    [
      'node --experimental-vm-modules node_modules/jest/bin/jest.js',
      'node --experimental-vm-modules node_modules/jest/bin/jest.js --verbose',
    ],
    ['python3 -m unittest', 'python3 -m unittest -v'],
    ['.venv/bin/python -m unittest discover -s tests', '.venv/bin/python -m unittest discover -s tests -v'],
    ['uv run python -m unittest', 'uv run python -m unittest -v'],
  ])('%s becomes %s', (command, asked) => {
    expect(askForNames(command, {}, EMPTY)).toEqual({ command: asked, env: {}, hasFlag: true });
  });

  it.each([
    ['npm test', 'vitest run', 'npm test -- --reporter=verbose'],
    ['npm run test', 'jest --ci', 'npm run test -- --verbose'],
    ['npm test --silent', 'jest', 'npm test --silent -- --verbose'],
    ['yarn test', 'jest', 'yarn test --verbose'],
    ['pnpm test', 'cross-env TZ=UTC vitest', 'pnpm test --reporter=verbose'],
  ])('%s, which stands for %s, becomes %s', (command, test, asked) => {
    expect(askForNames(command, {}, script(test))).toEqual({ command: asked, env: {}, hasFlag: true });
  });

  it.each([
    ['vitest run && tsc'],
    ['jest; true'],
    ['jest | tee log'],
    ['jest --verbose=false'],
    ['jest --json'],
    ['vitest run --reporter=junit'],
    ['vitest bench'],
    ['jest -- sum'],
    ['echo jest'],
    ['jest-lint'],
    ['python3 -m unittest -q'],
    ['sh -c "jest"'],
    ['node --test'],
    ['npm run test:unit'],
    ['npm --prefix web test'],
  ])('%s is left as it is', (command) => {
    expect(askForNames(command, {}, script('jest'))).toEqual({ command, env: {}, hasFlag: false });
  });

  it.each(['jest && eslint .', 'jest --reporters=x', 'sh run.sh', 'npm run unit'])(
    'a script that is %s is left as it is',
    (test) => expect(askForNames('npm test', {}, script(test)).command).toBe('npm test'),
  );

  it('vitest is left as it is where reporters are configured: the flag would take their place', () => {
    const configured = folder({ 'vitest.config.ts': "export default { test: { reporters: ['./mine.js'] } };" });
    expect(askForNames('vitest run', {}, configured).hasFlag).toBe(false);
  });

  it('a package.json that is broken, or is a folder, asks for nothing', () => {
    expect(askForNames('npm test', {}, folder({ 'package.json': '{' })).hasFlag).toBe(false);
    const dir = folder({});
    mkdirSync(join(dir, 'package.json'));
    expect(askForNames('npm test', {}, dir).hasFlag).toBe(false);
  });
});

it('the names of passing tests are read from the summary of pytest', () => {
  const output = [
    '=== test session starts ===',
    'collected 2 items',
    'test_sum.py .F [100%]',
    '=== short test summary info ===',
    'PASSED test_sum.py::test_adds[1-2]',
    'FAILED test_sum.py::test_wrong - assert 1 == 2',
    '=== 1 failed, 1 passed in 0.02s ===',
  ].join('\n');
  expect(parseTestOutput(output)).toMatchObject({
    passed: 1,
    failed: 1,
    details: [
      { name: expect.stringContaining('test_adds[1-2]'), status: 'passed' },
      { name: expect.stringContaining('test_wrong'), status: 'failed' },
    ],
  });
});

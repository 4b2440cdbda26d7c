/** The table of runners in the guide, checked against the runners themselves, or against their recorded output. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it, type TestContext } from 'vitest';
import {
  cargo,
  go,
  jest,
  make,
  mocha,
  nodeTest,
  pytest,
  unittest,
  vitest,
} from '../../bench/cheating/scenarios/projects.js';
import type { Project } from '../../bench/cheating/scenarios/scenario.js';
import { parseTestOutput } from '../../src/observation/parse-test-output.js';
import { gradeOf } from '../../src/observation/parsed-tests.js';
import { runTests } from '../../src/observation/run-tests.js';
import { need } from '../environment.js';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-test-runners-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Rows of the table: runner, grade by default, grade when Pawl asks, how it asks, and where the row is from. */
const ROWS = new Map(
  readFileSync('docs/guide/configuration.md', 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length === 7 && /^(?:played|recorded)$/.test(cells[5] ?? ''))
    .map(([, runner = '', byDefault, asked, , source]) => [runner.replaceAll('`', ''), { byDefault, asked, source }]),
);

function folderOf({ files }: Project): string {
  const folder = mkdtempSync(join(base, 'project-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Has a package of npm in the project, as an install would. */
function link(folder: string, name: string, packages: string, program: string): void {
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(join(packages, name), join(folder, 'node_modules', name));
  symlinkSync(join('..', name, program), join(folder, 'node_modules/.bin', name));
}

interface Played {
  readonly project: Project;
  readonly command: (context: TestContext) => string;
  readonly install?: (folder: string, context: TestContext) => void;
}

const PLAYED: Readonly<Record<string, Played>> = {
  'node:test': { project: nodeTest, command: () => 'npm test' },
  vitest: {
    project: vitest,
    command: () => 'npm test',
    install: (folder) => link(folder, 'vitest', resolve('node_modules'), 'vitest.mjs'),
  },
  jest: {
    project: jest,
    command: () => 'npm test',
    install: (folder, context) => link(folder, 'jest', resolve(need('jest', context), '../..'), 'bin/jest.js'),
  },
  mocha: {
    project: mocha,
    command: () => 'npm test',
    install: (folder, context) => link(folder, 'mocha', resolve(need('mocha', context), '../..'), 'bin/mocha.js'),
  },
  pytest: { project: pytest, command: (context) => need('pytest', context) },
  unittest: {
    project: unittest,
    command: (context) => `PYTHONPATH=src ${need('python', context)} -m unittest discover -s tests -t .`,
  },
  'go test': { project: go, command: (context) => `${need('go', context)} test ./...` },
  'cargo test': {
    project: cargo,
    // Without it the program that fails first would be the last.
    command: (context) => `${need('cargo', context)} test --no-fail-fast`,
  },
  'make, printing TAP': { project: make, command: (context) => `${need('make', context)} test` },
};

describe('the table of runners in the guide holds for', () => {
  for (const [runner, played] of Object.entries(PLAYED)) {
    it(`${runner}, as it is installed here`, (context) => expectRow(runner, played, context));
  }

  it.each([
    ['rspec', 'rspec/red.txt'],
    ['phpunit', 'phpunit/red.txt'],
    ['dotnet test', 'dotnet/documented-red.txt'],
    ['ctest', 'ctest/red.txt'],
    ['cargo nextest', 'nextest/documented-red.txt'],
    ['bun test', 'bun/red.txt'],
    ['deno test', 'deno/red.txt'],
  ])('%s, as it was recorded', (runner, file) => {
    const parsed = parseTestOutput(readFileSync(join('test/fixtures/test-output', file), 'utf8'));
    expect({ runner, ...ROWS.get(runner) }).toEqual({
      runner,
      byDefault: gradeOf(parsed),
      asked: 'not asked',
      source: 'recorded',
    });
  });

  it('nothing else', () => expect(ROWS.size).toBe(Object.keys(PLAYED).length + 7));
});

async function expectRow(runner: string, { project, command, install }: Played, context: TestContext): Promise<void> {
  const tests = command(context);
  const workingDir = folderOf(project);
  install?.(workingDir, context);
  const env = { ...process.env, CI: '1' };
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', tests], { cwd: workingDir, env, encoding: 'utf8' });
  const byDefault = gradeOf(parseTestOutput(`${stdout}\n${stderr}`));
  const harness = { workingDir, environment: process.env, cookie: randomUUID() };
  const asked = await runTests({ command: tests, timeoutMs: 300_000 }, harness, [], 'start');
  expect({ runner, ...ROWS.get(runner) }).toEqual({ runner, byDefault, asked: asked?.grade, source: 'played' });
  expect(asked).toMatchObject({ passed: 2, failed: 2 });
  expect(asked).not.toHaveProperty('namesRefused');
  const again = await runTests({ command: tests, timeoutMs: 300_000 }, harness, [], asked);
  expect(again?.changes).toEqual({ digest: expect.any(String) as string });
}

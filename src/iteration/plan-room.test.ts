import { rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { ScratchTree } from '../../test/support/scratch-tree.js';
import type { RunSpec } from '../model/run-spec.js';
import type { TestResults } from '../model/test-results.js';
import { keepFiles } from './kept-files.js';
import { planRoom } from './plan-room.js';

const open: ScratchTree[] = [];
afterEach(() => {
  for (const tree of open.splice(0)) tree.remove();
});

type Files = Readonly<Record<string, string>>;

interface Scene {
  readonly command?: string;
  readonly testsMayChange?: readonly string[];
  readonly start: Files;
  /** The names of tests that failed at the start. */
  readonly red?: readonly string[];
  /** What the agent writes; an empty text deletes the file. */
  readonly changes: Files;
}

/** What is put back: the text of each file in the room, undefined where it is not there. */
async function planned({ command = 'npm test', testsMayChange, start, red = [], changes }: Scene) {
  const tree = new ScratchTree();
  open.push(tree);
  for (const [path, text] of Object.entries(start)) tree.write(path, text);
  const before = await tree.tree();
  const { top: workingDir, environment, tracker: history } = tree;
  const kept = (await keepFiles(workingDir, environment, history, before)) ?? {};
  for (const [path, text] of Object.entries(changes)) {
    if (text === '') rmSync(tree.at(path));
    else tree.write(path, text);
  }
  const now = await tree.tree();
  const details = red.map((name) => ({ name, status: 'failed' as const }));
  const baseline: TestResults = { source: 'harness', details };
  const plan = await planRoom({
    spec: { workingDir, tests: { command, timeoutMs: 1000 }, testsMayChange } as unknown as RunSpec,
    harness: { workingDir, environment, cookie: 'loop_PLAN.1' },
    history,
    asked: { tree: before, now, kept, isConfirmed: true, baseline },
    testsSinceMs: Date.now() + 60_000,
  });
  if ('unusable' in plan) return plan.unusable;
  return Object.fromEntries(plan.files.map(({ path, content }) => [path, content?.toString()]));
}

const TEST = "import { test } from 'node:test';\nimport { sum } from '../src/sum.js';\n";
const PROJECT = {
  '.gitignore': 'node_modules/\n',
  'package.json': '{ "scripts": { "test": "node --test" } }\n',
  'src/sum.js': 'export const sum = (a, b) => a - b;\n',
  'test/a.test.js': TEST,
};
const FIX = { 'src/sum.js': 'export const sum = (a, b) => a + b;\n' };

it('nothing is put back of work on the code', async () => {
  expect(await planned({ start: PROJECT, changes: { ...FIX, 'src/new.js': 'x', 'README.md': 'x' } })).toEqual({});
});

it('changed, new and deleted tests are as they were', async () => {
  const start = { ...PROJECT, 'test/b.test.js': 'b' };
  const changes = { ...FIX, 'test/a.test.js': 'weak', 'test/b.test.js': '', 'test/c.test.js': 'new' };
  expect(await planned({ start, changes })).toEqual({
    'test/a.test.js': TEST,
    'test/b.test.js': 'b',
    'test/c.test.js': undefined,
  });
  expect(await planned({ start, changes, testsMayChange: ['test/*'] })).toEqual({});
});

it('data that only the tests name is as it was, unless it may change', async () => {
  const start = { ...PROJECT, 'data/sums.json': '[3]', 'test/a.test.js': `${TEST}read('data/sums.json');\n` };
  const changes = { ...FIX, 'data/sums.json': '[-1]' };
  expect(await planned({ start, changes })).toEqual({ 'data/sums.json': '[3]' });
  expect(await planned({ start, changes, testsMayChange: ['data/**'] })).toEqual({});
  const shipped = { ...start, 'src/load.js': "load('data/sums.json');\n" };
  expect(await planned({ start: shipped, changes })).toEqual({});
});

it('a name of the manifest that only the tests load leads to where it did, and the other names stay', async () => {
  const manifest = (same: string, db: string) =>
    JSON.stringify({ imports: { '#same': same, '#db': db }, scripts: { test: 'node --test' } });
  const start = {
    ...PROJECT,
    'package.json': manifest('./support/same.js', './src/memory.js'),
    'src/sum.js': "import '#db';\n",
    'test/a.test.js': `${TEST}import { same } from '#same';\n`,
  };
  const plan = await planned({ start, changes: { 'package.json': manifest('./near.js', './src/sqlite.js') } });
  expect(JSON.parse((plan as Files)['package.json'] ?? '')).toEqual({
    imports: { '#same': './support/same.js', '#db': './src/sqlite.js' },
    scripts: { test: 'node --test' },
  });
});

it('a package that is nearer to the tests than the one they loaded is not there, unless it was installed', async () => {
  const start = {
    ...PROJECT,
    'package-lock.json': '{ "packages": { "node_modules/expects": { "version": "1.0.0" } } }',
    'node_modules/expects/index.js': 'strict',
    'test/a.test.js': `${TEST}import { same } from 'expects';\n`,
  };
  const changes = { ...FIX, 'test/node_modules/expects/index.js': 'weak', 'test/node_modules/other/index.js': 'x' };
  expect(await planned({ start, changes })).toEqual({ 'test/node_modules/expects': undefined });
  const lock = '{ "packages": { "test/node_modules/expects": { "version": "2.0.0" } } }';
  expect(await planned({ start, changes: { ...changes, 'package-lock.json': lock } })).toEqual({});
});

it('a vendor folder of go that was not there is not there', async () => {
  const changes = { 'vendor/modules.txt': '# a', 'vendor/a/a.go': 'package a' };
  const start = { 'go.mod': 'module b\n', 'b.go': 'package b\n' };
  expect(await planned({ command: 'go test ./...', start, changes })).toEqual({ vendor: undefined });
});

it('the strictness of the types is as it was where the tests check them', async () => {
  const manifest = (test: string) => `{ "scripts": { "types": "tsc", "test": "${test}" } }`;
  const start = {
    ...PROJECT,
    'package.json': manifest('npm run types && node --test'),
    'tsconfig.json': '{ "compilerOptions": { "strict": true, /* old */ "target": "es5", } }',
  };
  const changes = { 'tsconfig.json': '{ "compilerOptions": { "noCheck": true, "target": "es2022" } }' };
  const plan = (await planned({ start, changes })) as Files;
  expect(JSON.parse(plan['tsconfig.json'] ?? '')).toEqual({ compilerOptions: { target: 'es2022', strict: true } });
  const newer = { 'tsconfig.json': '{ "compilerOptions": { "strict": true, "target": "es2022" } }' };
  expect(await planned({ start, changes: newer })).toEqual({});
  expect(await planned({ start: { ...start, 'package.json': manifest('node --test') }, changes })).toEqual({});
});

it('a new module in the place of one of Python that tests ran with is not there', async () => {
  const start = { 'src/calc.py': 'x = 1\n', 'tests/test_a.py': 'import csv\nfrom calc import x\n' };
  const scene = { command: 'pytest', start, changes: { 'src/csv.py': 'y = 1\n', 'src/other.py': 'z = 1\n' } };
  expect(await planned({ ...scene, red: ['tests/test_a.py::test_adds'] })).toEqual({ 'src/csv.py': undefined });
  expect(await planned({ ...scene, red: ['tests/test_a.py'] })).toEqual({});
});

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { build } from 'esbuild';
import { expect } from 'vitest';

const [PASSED, FAILED] = [0, 1];
/** Where mutated code keeps what it is told and what it counts. */
const MUTATION = (globalThis['__stryker__'] ??= {});

/**
 * A test runner for Stryker: pure tests are bundled once, and each mutant evaluates the bundle again in the same process. A
 * start of Vitest for each mutant takes far longer than the tests. Of Vitest it knows `describe`, `it`, `each` and `expect`.
 */
class BundledTests {
  #files;
  #evaluate;

  constructor({ bundledTests: { folders, exclude = [] } }) {
    this.#files = folders
      .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
      .filter((file) => file.endsWith('.test.ts') && !exclude.includes(file));
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const suites = this.#files.map((file) => `suites[${JSON.stringify(file)}] = () => require('./${file}');`);
    const { outputFiles } = await build({
      stdin: { contents: suites.join('\n'), resolveDir: process.cwd() },
      bundle: true,
      write: false,
      format: 'cjs',
      platform: 'node',
      packages: 'external',
      plugins: [OWN_URL],
      logLevel: 'error',
    });
    const code = `(function (require, suites) {${outputFiles[0].text}\n})`;
    this.#evaluate = new vm.Script(code, { filename: 'bundled-tests.cjs' }).runInThisContext();
  }

  async dryRun() {
    Object.assign(MUTATION, { activeMutant: undefined, mutantCoverage: undefined });
    const tests = await runAll(this.#collect(this.#files));
    return { status: 'complete', tests, mutantCoverage: MUTATION.mutantCoverage };
  }

  async mutantRun({ testFilter, activeMutant: { id }, mutantActivation, hitLimit }) {
    Object.assign(MUTATION, { activeMutant: mutantActivation === 'static' ? id : undefined, hitCount: 0, hitLimit });
    const files = testFilter === undefined ? this.#files : new Set(testFilter.map(fileOf));
    const tests = this.#collect(files).filter((test) => testFilter?.includes(test.id) ?? true);
    MUTATION.activeMutant = id;
    const results = await runAll(tests, { untilFailure: true });
    const failed = results.find(({ status }) => status === FAILED);
    if (MUTATION.hitCount > hitLimit) return { status: 'timeout', reason: 'The mutant was reached too often' };
    if (failed === undefined) return { status: 'survived', nrOfTests: results.length };
    return {
      status: 'killed',
      killedBy: [failed.id],
      failureMessage: failed.failureMessage,
      nrOfTests: results.length,
    };
  }

  /** Nothing that an earlier evaluation has kept in a module is left. */
  #collect(files) {
    const suites = {};
    const { vitest, tests, enter } = collector();
    this.#evaluate((name) => (name === 'vitest' ? vitest : fromSandbox(name)), suites);
    for (const file of files) {
      enter(file);
      suites[file]();
    }
    return tests;
  }
}

async function runAll(tests, { untilFailure = false } = {}) {
  const results = [];
  for (const test of tests) {
    const result = await runTest(test);
    results.push(result);
    if (untilFailure && result.status === FAILED) break;
  }
  return results;
}

async function runTest({ id, name, fileName, run }) {
  const start = performance.now();
  const result = (status, failureMessage) => {
    return { id, name, fileName, status, failureMessage, timeSpentMs: performance.now() - start };
  };
  MUTATION.currentTestId = id;
  try {
    await run();
    return result(PASSED);
  } catch (error) {
    return result(FAILED, String(error?.message ?? error));
  } finally {
    MUTATION.currentTestId = undefined;
  }
}

/** The part of Vitest that pure tests use. */
function collector() {
  const tests = [];
  let fileName = '';
  let inFile = 0;
  let path = [];
  const it = (title, run) => {
    const name = [...path, title].join(' ');
    inFile += 1;
    // The rows of a table have the same title.
    tests.push({ id: `${fileName}#${inFile} ${name}`, name, fileName, run });
  };
  const describe = (title, body) => {
    path.push(title);
    body();
    path.pop();
  };
  const each = (one) => (rows) => (title, run) => {
    const isTable = rows.every(Array.isArray);
    for (const row of rows) one(title, () => run(...(isTable ? row : [row])));
  };
  const enter = (file) => {
    fileName = file;
    inFile = 0;
    path = [];
  };
  Object.assign(it, { each: each(it) });
  Object.assign(describe, { each: each(describe) });
  return { vitest: { describe, it, expect }, tests, enter };
}

function fileOf(testId) {
  return testId.slice(0, testId.indexOf('#'));
}

/** A module in a bundle keeps its own place. */
const OWN_URL = {
  name: 'own-url',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', url), loader: 'ts' };
    }),
};

const fromSandbox = createRequire(join(process.cwd(), 'package.json'));

const factory = (options) => new BundledTests(options);
factory.inject = ['options'];

export const strykerPlugins = [{ kind: 'TestRunner', name: 'bundled', factory }];
export const strykerValidationSchema = { properties: { bundledTests: { type: 'object' } } };

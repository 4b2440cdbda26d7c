import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { build } from 'esbuild';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi } from 'vitest';

const [PASSED, FAILED] = [0, 1];
/** Where mutated code keeps what it is told and what it counts. */
const MUTATION = (globalThis['__stryker__'] ??= {});
/** `vi` expects to run in a process that Vitest has started. */
globalThis['__vitest_worker__'] ??= { config: { fakeTimers: {} } };
/** How long `expect.poll` and a whole test may take. A mutant whose test takes longer is one that was noticed. */
const [POLL_MS, TEST_MS] = [5000, 15_000];

/**
 * A test runner for Stryker: the tests are bundled once, and each mutant evaluates the bundle again in the same process. A
 * start of Vitest for each mutant takes far longer than the tests. It offers the part of Vitest that these tests use; a
 * test file that replaces a module (`vi.mock`) has to be left out.
 */
class BundledTests {
  #files;
  #evaluate;

  constructor({ bundledTests: { folders, files = [], exclude = [] } }) {
    this.#files = folders
      .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
      .filter((file) => file.endsWith('.test.ts') && !exclude.includes(file))
      .concat(files);
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
    if (failed?.tookTooLong) return { status: 'timeout', reason: `${failed.name} took too long` };
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
  const result = (status, more) => {
    return { id, name, fileName, status, timeSpentMs: performance.now() - start, ...more };
  };
  MUTATION.currentTestId = id;
  const deadline = new AbortController();
  try {
    await Promise.race([run(), tooLong(deadline.signal), strayError()]);
    return result(PASSED);
  } catch (error) {
    return result(FAILED, {
      failureMessage: String(error?.message ?? error),
      tookTooLong: error instanceof TookTooLong,
    });
  } finally {
    deadline.abort();
    MUTATION.currentTestId = undefined;
  }
}

/** What a mutant throws outside of its test, such as in a timer, fails the test that runs then. */
let onStrayError = () => undefined;
for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, (error) => onStrayError(error));

function strayError() {
  return new Promise((_resolve, reject) => {
    onStrayError = reject;
  });
}

class TookTooLong extends Error {}

async function tooLong(signal) {
  await delay(TEST_MS, undefined, { signal });
  throw new TookTooLong('The test took too long');
}

/** The part of Vitest that these tests use. */
function collector() {
  const tests = [];
  let fileName = '';
  let inFile = 0;
  let path = [];
  let hooks = noHooks();
  /** What the test that runs wants to be done after it. */
  let finished = [];
  const it = (title, body) => {
    const name = [...path, title].join(' ');
    inFile += 1;
    const around = hooks;
    const run = async () => {
      finished = [];
      try {
        for (const before of around.before) await before();
        await body();
      } finally {
        for (const after of [...finished, ...around.after]) await after();
      }
    };
    // The rows of a table have the same title.
    tests.push({ id: `${fileName}#${inFile} ${name}`, name, fileName, run });
  };
  const describe = (title, body) => {
    const outer = hooks;
    hooks = { before: [...outer.before], after: [...outer.after] };
    path.push(title);
    body();
    path.pop();
    hooks = outer;
  };
  const each = (one) => (rows) => (title, run) => {
    const isTable = rows.every(Array.isArray);
    for (const row of rows) one(title, () => run(...(isTable ? row : [row])));
  };
  const when = (isWanted) => (isWanted ? it : () => undefined);
  const enter = (file) => {
    fileName = file;
    inFile = 0;
    path = [];
    hooks = noHooks();
  };
  Object.assign(it, { each: each(it), runIf: when, skipIf: (isUnwanted) => when(!isUnwanted) });
  Object.assign(describe, { each: each(describe) });
  const vitest = {
    describe,
    it,
    vi,
    expect: EXPECT,
    beforeEach: (hook) => hooks.before.push(hook),
    afterEach: (hook) => hooks.after.unshift(hook),
    // Only for folders, which the last test leaves in the folder for temporary files.
    afterAll: () => undefined,
    onTestFinished: (action) => finished.unshift(action),
  };
  return { vitest, tests, enter };
}

function noHooks() {
  return { before: [], after: [] };
}

/** `expect.poll` of Vitest works only in a test that Vitest has started. */
const EXPECT = Object.assign((...values) => expect(...values), expect, {
  poll: (read) =>
    new Proxy(
      {},
      {
        get:
          (_target, matcher) =>
          (...expected) =>
            poll(read, matcher, expected),
      },
    ),
});

async function poll(read, matcher, expected) {
  const start = performance.now();
  for (;;) {
    try {
      return expect(await read())[matcher](...expected);
    } catch (error) {
      if (performance.now() - start > POLL_MS) throw error;
      await delay(20);
    }
  }
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

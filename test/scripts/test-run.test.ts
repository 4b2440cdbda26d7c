import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/source-file.js';

/** Runs one of the small suites in test/fixtures/test-runs as `npm test` would. */
async function runSuite(name: string, env: Readonly<Record<string, string>> = {}) {
  const args = [
    join(ROOT, 'scripts', 'test.mjs'),
    '--root',
    join(ROOT, 'test', 'fixtures', 'test-runs'),
    `${name}.case`,
  ];
  const { PAWL_TEST_ALL: _outer, ...inherited } = process.env;
  // What these suites say of their failures is meant for nobody.
  const child = spawn(process.execPath, args, { env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exitCode = await new Promise((resolve) => child.once('close', resolve));
  return { exitCode, output, lastLine: output.trimEnd().split('\n').at(-1) };
}

describe('npm test', () => {
  it('ends with the count and exit code 0 when everything passed', async () => {
    expect(await runSuite('passes')).toMatchObject({ exitCode: 0, lastLine: '1 passed, 0 failed' });
  });

  it('says what was left out, why, and how to get it', async () => {
    const { exitCode, output, lastLine } = await runSuite('skips');
    expect({ exitCode, lastLine }).toEqual({ exitCode: 0, lastLine: '1 passed, 0 failed, 2 skipped' });
    expect(output).toContain('thing: it is not installed (1 test)');
    expect(output).toContain('.ci/run');
  });

  it('takes a skipped test for a failure when everything must run', async () => {
    const { exitCode, output, lastLine } = await runSuite('skips', { PAWL_TEST_ALL: '1' });
    expect({ exitCode, lastLine }).toEqual({ exitCode: 1, lastLine: '1 passed, 2 failed' });
    expect(output).toContain('needs a thing was skipped: thing: it is not installed');
  });

  it.each([
    ['a test that failed', 'fails', '1 passed, 1 failed'],
    ['a test that killed its process', 'crashes', '0 passed, 3 failed'],
    ['a rejection that nobody handled', 'rejects', '1 passed, 1 failed'],
    ['a file that cannot be loaded', 'breaks', '0 passed, 1 failed'],
    ['a file without a test', 'empties', '0 passed, 2 failed'],
    ['no test at all', 'no-such-suite', '0 passed, 1 failed'],
  ])('fails on %s', async (_hazard, suite, lastLine) => {
    expect(await runSuite(suite)).toMatchObject({ exitCode: 1, lastLine });
  });
});

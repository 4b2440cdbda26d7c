/** Plays in which the tests of the start decide, in real folders with real tests. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import { endOf } from '../../src/model/phase.js';
import { LoopRunner } from '../../src/run/run-handle.js';
import { scriptedAgent } from '../../src/testing/scripted-agent.js';

/** Each file in test/cases is one test: a word that the code must contain. Each run of the tests is counted. */
export const RUNNER = `echo run >> ../runs-\${PWD##*/}
n=0; bad=0; code=$(cat code.txt)
for file in test/cases/*; do
  n=$((n + 1)); read -r word < "$file"
  case $code in *"$word"*) echo "ok $n - \${file##*/}";; *) bad=1; echo "not ok $n - \${file##*/}";; esac
done
echo "1..$n"
exit $bad
`;
export const START = {
  'code.txt': 'one\n',
  'test/run.sh': RUNNER,
  'test/cases/a': 'one',
  'test/cases/b': 'two',
  'package.json': '{ "scripts": { "test": "sh test/run.sh" }, "dependencies": {} }\n',
};

export type Write = (path: string, text: string | undefined) => void;

const LONG_AGO = new Date('2026-01-01');

/** With a real runner, to which a test that must fail can be added. */
export const NODE = {
  'sum.mjs': 'export const sum = (a, b) => a - b;\n',
  'tools/same.mjs':
    "import assert from 'node:assert';\n\nexport const same = (one, other) => assert.strictEqual(one, other);\n",
  'test/sum.test.mjs': `import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import { sum } from '../sum.mjs';
import { same } from '../tools/same.mjs';

appendFileSync(\`../runs-\${process.cwd().split('/').at(-1)}\`, 'run\\n');
test('adds', () => same(sum(1, 2), 3));
`,
};
export const CONFIRMED: LoopConfig = { tests: 'node --test', stop: { success: ['all_tests_pass'], confirm: 2 } };

export const rejected = { class: 'veto', reasons: [expect.objectContaining({ path: 'tests.original' })] };

/** Folders of its own for one file of tests. */
export function originalsScene() {
  const base = mkdtempSync(join(tmpdir(), 'pawl-original-tests-'));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  const temporary = join(base, 'temporary');
  mkdirSync(temporary);
  const environment = {
    PATH: process.env['PATH'],
    HOME: base,
    XDG_STATE_HOME: join(base, 'state'),
    TMPDIR: temporary,
  };

  async function play(
    calls: readonly ((write: Write, workingDir: string) => void)[],
    config: LoopConfig = {},
    says: Readonly<Record<number, string>> = {},
    start: Readonly<Record<string, string>> = START,
    prepare: (workingDir: string) => void = () => undefined,
  ) {
    const workingDir = mkdtempSync(join(base, 'tree-'));
    const write: Write = (path, text) => {
      if (text === undefined) return rmSync(join(workingDir, path), { force: true });
      mkdirSync(dirname(join(workingDir, path)), { recursive: true });
      writeFileSync(join(workingDir, path), text);
    };
    for (const [path, text] of Object.entries(start)) {
      write(path, text);
      // The first tests begin so soon that they could have been written since.
      utimesSync(join(workingDir, path), LONG_AGO, LONG_AGO);
    }
    prepare(workingDir);
    const agent = scriptedAgent(
      calls.map((work, call) => ({
        work: () => work(write, workingDir),
        events: says[call] === undefined ? [] : [{ kind: 'text', text: says[call], final: true }],
      })),
    );
    const settings: LoopConfig = {
      workingDir,
      prompt: 'go',
      iterationDelay: 0,
      tests: 'sh test/run.sh',
      maxIterations: 4,
      stop: { success: ['all_tests_pass'] },
      ...config,
    };
    const runner = new LoopRunner(settings, { agent, environment });
    await runner.run();
    const { runState: state } = runner;
    const read = (path: string) => readFileSync(join(workingDir, path), 'utf8');
    const runs = () => readFileSync(join(base, `runs-${workingDir.split('/').at(-1)}`), 'utf8').split('\n').length - 1;
    return { workingDir, settings, state, agent, read, runs, write, id: runner.id, end: endOf(state) };
  }

  return { base, temporary, environment, play };
}

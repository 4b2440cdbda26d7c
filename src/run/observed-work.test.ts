/** What an iteration records of its work, in real folders with real tests. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-observed-work-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };

function scene(files: Readonly<Record<string, string>>) {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(workingDir, path)), { recursive: true });
    writeFileSync(join(workingDir, path), text, { mode: 0o755 });
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const run = async (config: LoopConfig, calls: readonly (() => void)[]) => {
    const agent = scriptedAgent(calls.map((work) => ({ work })));
    const runner = new LoopRunner({ workingDir, prompt: 'go', iterationDelay: 0, ...config }, { agent, environment });
    await runner.run();
    const { runState: state } = runner;
    return { result: { state: runner.state(), iterations: state.iterations }, state };
  };
  return { workingDir, write, run };
}

/** TAP with two tests; `b` lies in its first run after the iteration that wrote `code`. */
const FLAKY = `#!/bin/sh
echo run >> ../runs-$(basename "$PWD")
n=$(wc -l < ../runs-$(basename "$PWD"))
a='not ok'; grep -q a code 2>/dev/null && a=ok
b=ok; [ "$n" -eq 2 ] && b='not ok'
echo "$a 1 - a"; echo "$b 2 - b"; echo 1..2
[ "$a$b" = okok ]
`;

it('a test that was green before and fails by chance is run again, and the goal counts at once', async () => {
  const { run, write } = scene({ 'tests.sh': FLAKY });
  const { result, state } = await run(
    { tests: './tests.sh', maxIterations: 3, stop: { success: ['all_tests_pass'] } },
    [() => write('code', 'a\n')],
  );
  expect(result).toMatchObject({ state: 'completed', iterations: 1 });
  expect(state.latest.observation.tests).toMatchObject({ failed: 0, flaky: ['b'] });
});

it('a test that is really broken counts as broken after its second run', async () => {
  const { run, write, workingDir } = scene({
    'tests.sh':
      '#!/bin/sh\necho run >> runs.log\n[ -e broken ] && w="not ok" || w=ok\necho "$w 1 - a"; echo 1..1\n[ "$w" = ok ]\n',
  });
  const { state } = await run({ tests: './tests.sh', maxIterations: 1, stop: { success: ['never'] } }, [
    () => write('broken', 'x\n'),
  ]);
  expect(state.latest.observation.tests).toMatchObject({ failed: 1, flaky: [] });
  expect(readFileSync(join(workingDir, 'runs.log'), 'utf8').split('\n')).toHaveLength(1 + 2 + 1);
});

it('work in a folder that git ignores is progress only where the config names it', async () => {
  const calls = (write: (path: string, text: string) => void) =>
    Array.from({ length: 4 }, (_, index) => () => write('data/part.csv', `row ${index}\n`));
  const config: LoopConfig = { maxIterations: 4, stop: { success: ['never'], failure: [{ no_progress: 2 }] } };
  const ignored = { '.gitignore': 'data/\n' };
  const unnamed = scene(ignored);
  expect((await unnamed.run(config, calls(unnamed.write))).result).toMatchObject({ iterations: 2 });
  const named = scene(ignored);
  const { result, state } = await named.run({ ...config, progress: { also: ['data/**'] } }, calls(named.write));
  expect(result).toMatchObject({ iterations: 4 });
  expect(state.latest.observation.also).toBeDefined();
});

it('a file from before the run is no fresh goal until it is written again', async () => {
  const { run, write } = scene({ 'DONE.md': 'of last week\n' });
  const goal = { file_created: { path: 'DONE.md', fresh: true } };
  const { result } = await run({ maxIterations: 5, stop: { success: [goal] } }, [
    () => write('code.ts', 'one();\n'),
    () => write('code.ts', 'two();\n'),
    () => write('DONE.md', 'of last week\n'),
  ]);
  expect(result).toMatchObject({ state: 'completed', iterations: 3 });
});

it('a file from before the run is no fresh goal either where the tests failed at the start', async () => {
  const { run, write } = scene({
    'DONE.md': 'of last week\n',
    'tests.sh': '#!/bin/sh\n[ -e fixed ] && w=ok || w="not ok"\necho "$w 1 - a"; echo 1..1\n[ "$w" = ok ]\n',
  });
  const goal = { all: ['all_tests_pass', { file_created: { path: 'DONE.md', fresh: true } }] } as const;
  const { result } = await run({ tests: './tests.sh', maxIterations: 3, stop: { success: [goal] } }, [
    () => write('fixed', 'x\n'),
    () => write('DONE.md', 'of tonight\n'),
  ]);
  expect(result).toMatchObject({ state: 'completed', iterations: 2 });
});

it('an iteration records what kinds of files it changed, and nothing new when it only formats', async () => {
  const { run, write } = scene({ 'src/a.ts': 'if (a) {\n  b();\n}\n' });
  const { state } = await run({ maxIterations: 2, stop: { success: ['never'] } }, [
    () => write('src/a.ts', 'if (a) {\n  b();\n  c();\n}\n'),
    () => {
      write('src/a.ts', 'if (a) {\n\tb();\n\tc();\n}\n');
      write('package-lock.json', '{}\n');
    },
  ]);
  expect(state.latest).toMatchObject({
    newContent: false,
    observation: { files: { kinds: { code: 1, lock: 1 }, lines: [] } },
  });
  expect(state.recent.map(({ madeProgress }) => madeProgress)).toEqual([true, false]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RunEvent } from '../../src/model/run-event.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('green');
});
afterAll(() => cli.remove());

/** Two tests: the code is right, and there is code. As node:test prints them. */
const TESTS = `#!/usr/bin/env bash
if [ "$(cat code)" = right ]; then failed=0; else failed=1; fi
[ $failed = 0 ] && echo "✔ is right (0.5ms)" || echo "✖ is right (0.5ms)"
echo "✔ is there (0.1ms)"
printf 'ℹ tests 2\\nℹ suites 0\\nℹ pass %d\\nℹ fail %d\\nℹ cancelled 0\\nℹ skipped 0\\nℹ todo 0\\nℹ duration_ms 40\\n' $((2 - failed)) $failed
exit $failed
`;

/** Runs the tests as a tool of the agent: the call, and what it printed, as messages of the protocol. */
const TOOL = `
shows() { node -e 'console.log(JSON.stringify({ pawl: "tool-result", id: "1", output: require("fs").readFileSync(0, "utf8") }))'; }
runs_tests() { echo '{"pawl": "tool-call", "id": "1", "name": "Bash", "input": "./test.sh"}'; ./test.sh | shows; }
recorded() { cat .ralph/runs/*/journal.jsonl | grep -c '"green-seen"'; }
waits_for_green() { until [ "$(recorded)" -ge "$1" ]; do sleep 0.05; done; }
`;

/** Makes the tests green, runs them, and breaks the code again; the notes tell one iteration from another. */
const LOSES = `${TOOL}
echo right > code; echo note > new-file; runs_tests; waits_for_green 1
echo '{"pawl": "tool-call", "id": "2", "name": "Edit"}'; echo worse > code; rm new-file; date +%N >> notes
`;

function projectOf(agent: string): CliProject {
  const project = new CliProject(cli, { agent });
  project.write('test.sh', TESTS, 0o755);
  project.write('code', 'wrong\n');
  return project;
}

const LIMITS = ['--delay', '0s', '--quiet'];
const runOnce = (project: CliProject, ...words: readonly string[]) =>
  project.pawl('run', '-p', 'repair it', '--max-iterations', '1', ...LIMITS, ...words, '--', './agent.sh');
const tested = ['--tests', './test.sh'];

function eventsOf(project: CliProject): readonly RunEvent[] {
  const runs = join(project.path, '.ralph', 'runs');
  const [id = ''] = readdirSync(runs);
  const lines = readFileSync(join(runs, id, 'journal.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as RunEvent);
}

function greensOf(project: CliProject) {
  return eventsOf(project).filter((event) => event.type === 'green-seen');
}

describe('an agent that has all tests green and breaks them again', { timeout: 120_000 }, () => {
  it('leaves a snapshot that every view names and that restore brings back', async () => {
    const project = projectOf(LOSES);
    expect(await runOnce(project, ...tested)).toMatchObject({ status: 3 });
    expect(greensOf(project)).toMatchObject([{ iteration: 1, passed: 2 }]);
    const ended = eventsOf(project).find((event) => event.type === 'iteration-ended');
    // What the iteration did is not disturbed by the snapshot in the middle of it.
    expect(ended?.observation.files).toMatchObject({ created: ['notes'], modified: ['code'], deleted: [] });
    for (const command of ['status', 'show']) {
      // oxlint-disable-next-line no-await-in-loop -- one view after the other
      const { stdout } = await project.pawl(command);
      expect(stdout).toMatch(/green +at \d\d:\d\d in iteration 1: 2 tests passed in the agent's run$/m);
      expect(stdout).toMatch(/pawl restore \w+ 1@green$/m);
    }
    expect((await project.pawl('show', '1')).stdout).toMatch(/pawl restore \w+ 1@green$/m);
    expect(JSON.parse((await project.pawl('show', '1', '--json')).stdout).green).toMatchObject({ passed: 2 });
    const changed = await project.pawl('diff', '1@green', '--json');
    expect(JSON.parse(changed.stdout).files).toEqual([
      { status: 'modified', path: 'code' },
      { status: 'created', path: 'new-file' },
    ]);
    const restored = await project.pawl('restore', '1@green');
    expect(restored).toMatchObject({ status: 0, stderr: '' });
    expect(restored.stdout).toContain('when the tests were green in iteration 1');
    expect([project.read('code'), project.read('new-file')]).toEqual(['right\n', 'note\n']);
    expect(await project.pawl('restore', '--undo')).toMatchObject({ status: 0 });
    expect(project.read('code')).toBe('worse\n');
    expect((await project.pawl('show')).stdout).toContain('when the tests were green in iteration 1');
  });

  it('is found by a run and its number, and what is not there is refused with what is', async () => {
    const project = projectOf(LOSES);
    await runOnce(project, ...tested);
    const [id = ''] = readdirSync(join(project.path, '.ralph', 'runs'));
    expect(await project.pawl('restore', id, '1@Green', '--json')).toMatchObject({ status: 0 });
    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [['restore', '2@green'], /no iteration 2; there is 1@green/],
      [['restore', id, '0@green'], /"0@green" is not an iteration; write a number from 0 .*3@green/],
      [['restore', '1@gren'], /"1@gren" is not an iteration; write a number from 0 .*3@green/],
      [['diff', '1@gren'], /"1@gren" is not an iteration; write a number from 1, or with @green, such as 3@green/],
      [['diff', '2@green'], /no iteration 2; there is 1@green/],
      [['show', '1@green'], /"1@green" is not an iteration; write a number from 1$/m],
      [['restore', '1@green', '--undo'], /only one of them/],
    ];
    for (const [words, message] of refusals) {
      // oxlint-disable-next-line no-await-in-loop -- one refusal after the other
      const refused = await project.pawl(...words);
      expect(refused).toMatchObject({ status: 2, stdout: '' });
      expect(refused.stderr).toMatch(message);
    }
  });

  it('also without tests of the run, where the last test run of the agent is red', async () => {
    const project = projectOf(LOSES.replace('notes', 'notes; runs_tests'));
    expect(await runOnce(project)).toMatchObject({ status: 3 });
    expect((await project.pawl('status')).stdout).toMatch(/1@green/);
    expect(await project.pawl('restore', '1@green')).toMatchObject({ status: 0 });
    expect(project.read('code')).toBe('right\n');
  });

  it('keeps it when its runner is killed, and after a resume', async () => {
    const project = projectOf(`${LOSES}\nif [ ! -e second ]; then touch second; sleep 60; fi`);
    const words = ['run', '-p', 'x', '--max-iterations', '2', ...LIMITS, ...tested, '--', './agent.sh'];
    const options = { cwd: project.path, env: project.env, stdio: 'ignore' } as const;
    const live = spawn(process.execPath, [cli.bin, ...words], options);
    onTestFinished(() => void live.kill('SIGKILL'));
    const gone = once(live, 'exit');
    await vi.waitFor(() => expect(readdirSync(project.path)).toContain('second'), { timeout: 60_000, interval: 50 });
    live.kill('SIGKILL');
    await gone;
    expect((await project.pawl('status')).stdout).toMatch(/pawl restore \w+ 1@green$/m);
    expect(await project.pawl('resume', '--quiet')).toMatchObject({ status: 3 });
    expect(await project.pawl('restore', '1@green')).toMatchObject({ status: 0 });
    expect(project.read('code')).toBe('right\n');
  });
});

describe('no green snapshot', { timeout: 120_000 }, () => {
  it.each([
    [
      'of a run that does not track files',
      'track_file_changes: false',
      'echo right > code; runs_tests; echo worse > code',
    ],
    ['of a run whose output is not parsed', 'parse_tests: false', 'echo right > code; runs_tests; echo worse > code'],
    ['of red tests', '', 'runs_tests'],
    ['of a part of the tests', '', `printf 'ℹ tests 1\\nℹ pass 1\\nℹ fail 0\\nℹ duration_ms 4\\n' | shows`],
  ])('%s', async (_, setting, work) => {
    const project = projectOf(`${TOOL}\n${work}`);
    project.write('pawl.yaml', `prompt: x\n${setting}\n`);
    expect(await project.pawl('run', '--max-iterations', '1', ...LIMITS, ...tested, '--', './agent.sh')).toMatchObject({
      status: 3,
    });
    expect(greensOf(project)).toEqual([]);
    expect((await project.pawl('status')).stdout).not.toContain('@green');
    const refused = await project.pawl('restore', '1@green');
    expect(refused).toMatchObject({ status: 2 });
    expect(refused.stderr).toContain('has no green snapshot');
  });

  it('is named where the iteration ended green', async () => {
    const project = projectOf(`${TOOL}\necho right > code; runs_tests; waits_for_green 1; echo x > notes`);
    await runOnce(project, ...tested);
    expect(greensOf(project)).toHaveLength(1);
    expect((await project.pawl('show', '1')).stdout).not.toContain('@green');
    expect((await project.pawl('show')).stdout).not.toContain('@green');
  });

  it('is recorded of an iteration that started green and has changed nothing', async () => {
    const project = projectOf(`${TOOL}\nruns_tests`);
    project.write('code', 'right\n');
    project.write('pawl.yaml', 'prompt: x\nstop: { success: [{ file_created: never }] }\n');
    await project.pawl('run', '--max-iterations', '1', ...LIMITS, ...tested, '--', './agent.sh');
    expect(eventsOf(project).filter(({ type }) => type === 'tool-answered')).toHaveLength(1);
    expect(greensOf(project)).toEqual([]);
  });
});

it('an agent that prints fake green results 10,000 times fills no record', { timeout: 120_000 }, async () => {
  const flood = `
    const output = 'ℹ tests 9\\nℹ pass 9\\nℹ fail 0\\nℹ duration_ms 4\\n';
    const line = JSON.stringify({ pawl: 'tool-result', id: '1', output }) + '\\n';
    for (let count = 0; count < 10_000; count += 1) {
      if (count % 100 === 0) require('fs').writeFileSync('code', String(count));
      require('fs').writeSync(1, line);
    }`;
  const project = projectOf('node flood.cjs');
  project.write('flood.cjs', flood);
  expect(await runOnce(project, ...tested)).toMatchObject({ status: 3 });
  expect(eventsOf(project).filter(({ type }) => type === 'tool-answered')).toHaveLength(10_000);
  expect(greensOf(project).length).toBeLessThan(10);
});

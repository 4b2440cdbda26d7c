import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('stopping');
});
const started: ChildProcess[] = [];
afterAll(() => {
  // One that a failed test has left.
  for (const runner of started) if (runner.exitCode === null && runner.signalCode === null) runner.kill('SIGKILL');
  cli.remove();
});

const WAIT = { timeout: 60_000, interval: 50 };

function start(project: CliProject, ...words: readonly string[]): ChildProcess {
  const env = { ...project.env, PAWL_TRUST: '1' };
  const runner = spawn(process.execPath, [cli.bin, ...words], { cwd: project.path, env, stdio: 'ignore' });
  started.push(runner);
  return runner;
}

const isThere = (project: CliProject, name: string) => existsSync(join(project.path, name));

it('a hook that hangs when the run ends is named by status, ends with SIGTERM, and a limit given meanwhile is kept', async () => {
  const project = new CliProject(cli);
  const hooks = 'hooks: { on_stop: { command: "touch begun; sleep 600", timeout: 1h } }';
  project.write('pawl.yaml', `agent: { command: ./agent.sh }\nprompt: x\nmax_iterations: 1\n${hooks}\n`);
  const runner = start(project, 'run');
  const gone = once(runner, 'exit');
  await vi.waitFor(() => expect(isThere(project, 'begun')).toBe(true), WAIT);
  const status = (await project.pawl('status')).stdout.replace(/\s+/g, ' ');
  expect(status).toMatch(/, process .* Stopping: /);
  expect(status).toMatch(/1 of 1 iteration; .*on_stop .*pawl stop --now/);
  expect(await project.pawl('pause')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('a run that is stopping'),
  });
  expect(await project.pawl('reboot')).toMatchObject({ status: 2 });
  expect((await project.pawl('extend', '--max-iterations', '50')).stdout).toMatch(/stops first.*new limit/);
  runner.kill('SIGTERM');
  expect(await gone).toEqual([3, null]);
  const ended = (await project.pawl('status')).stdout;
  expect(ended).toMatch(/Iteration limit reached: 1 of 1 iteration/);
  expect(ended).toMatch(/pawl resume \w+$/m);
});

it('a runner that is killed before the agent is started has neither spent anything nor used up an iteration', async () => {
  const project = new CliProject(cli);
  const hooks = 'hooks: { before_iteration: "if [ ! -e begun ]; then touch begun; sleep 600; fi" }';
  project.write('pawl.yaml', `agent: { command: ./agent.sh }\nprompt: x\nmax_iterations: 1\n${hooks}\n`);
  const runner = start(project, 'run');
  const gone = once(runner, 'exit');
  await vi.waitFor(() => expect(isThere(project, 'begun')).toBe(true), WAIT);
  runner.kill('SIGKILL');
  await gone;
  expect((await project.pawl('status')).stdout).toMatch(/spent +nothing/);
  expect(await once(start(project, 'resume'), 'exit')).toEqual([3, null]);
  expect((await project.pawl('show', '1')).stdout).toContain('iteration 1, try 2 completed');
});

it('a run that a hook has paused says why, with the words of the hook', async () => {
  const project = new CliProject(cli);
  const hook = '{ command: "echo disk quota exceeded; exit 4", on_failure: pause }';
  project.write('pawl.yaml', `agent: { command: ./agent.sh }\nprompt: x\nhooks: { after_iteration: ${hook} }\n`);
  const runner = start(project, 'run');
  const gone = once(runner, 'exit');
  const why = 'the hook after_iteration exits with 4: disk quota exceeded';
  await vi.waitFor(
    async () =>
      expect((await project.pawl('status')).stdout.replace(/\s+/g, ' ')).toMatch(new RegExp(`Paused .*${why}`)),
    WAIT,
  );
  const said = async (...words: readonly string[]) => (await project.pawl(...words)).stdout.replace(/\s+/g, ' ');
  // The list is of what `state.json` tells, a second later.
  await vi.waitFor(async () => expect(await said('list')).toContain(why.slice(0, 20)), WAIT);
  expect(await said('show')).toContain(`Paused after 1 iteration: ${why}`);
  expect(await said('show', '1')).toContain(`${why} (the run pauses)`);
  expect(await project.pawl('stop')).toMatchObject({ status: 0 });
  await gone;
});

it('wait without a run is refused when several are live, as every other command is', async () => {
  const project = new CliProject(cli, { agent: 'while [ ! -e enough ]; do sleep 0.05; done' });
  project.git('add', '.');
  project.git('commit', '--quiet', '-m', 'x');
  for (const name of ['one', 'two']) {
    const words = ['run', '-p', 'x', '--worktree', name, '--detach', '--', './agent.sh'];
    expect(await project.pawl(...words)).toMatchObject({ status: 0 });
  }
  const refused = await project.pawl('wait');
  const ids = (JSON.parse((await project.pawl('list', '--json')).stdout) as { runId: string }[]).map(
    ({ runId }) => runId,
  );
  for (const id of ids) {
    expect(await project.pawl('stop', '--now', id)).toMatchObject({ status: 0 });
    expect(await project.pawl('wait', id)).toMatchObject({ status: 130 });
  }
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('several runs are live here') });
});

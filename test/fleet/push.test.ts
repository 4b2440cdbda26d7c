/** What a remote does to a worker that is a process of its own, and what people see of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, type TestContext } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { sharedFleet } from '../support/fleet-database.js';
import { GitRemote } from '../support/git-remote.js';
import { isRunning } from '../support/is-running.js';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

const fleetFor = sharedFleet();
let cli: BuiltCli;
let project: CliProject;
let remote: GitRemote;
let works: ChildProcess | undefined;
let said = '';

beforeAll(() => {
  cli = new BuiltCli('fleet-push');
  symlinkSync(MODULES, join(cli.folder, 'node_modules'));
});
afterAll(() => cli.remove());
beforeEach(() => {
  project = new CliProject(cli);
  remote = new GitRemote();
});
afterEach(() => {
  works?.kill('SIGKILL');
  remote.remove();
});

async function fleet(context: TestContext) {
  const found = await fleetFor(context);
  project.env['PAWL_POSTGRES'] = found.postgres.url;
  return found.database;
}

/** A run that writes a file. */
async function submit(iterations = 1): Promise<string> {
  const place = ['--repo', remote.url, '--branch', 'main', '-p', 'x', '--max-iterations', String(iterations)];
  const outcome = await project.pawl('submit', ...place, '--', 'sh', '-c', 'echo done > work');
  expect(outcome, outcome.stderr).toMatchObject({ status: 0 });
  return outcome.stdout.trim();
}

function startWorker(): ChildProcess {
  said = '';
  const words = [join(cli.folder, 'bin', 'pawl.js'), 'worker', '--home', remote.home];
  works = spawn(process.execPath, words, { cwd: project.path, env: project.env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [works.stdout, works.stderr]) stream?.on('data', (text: Buffer) => (said += text.toString()));
  return works;
}

function hook(lines: string): void {
  mkdirSync(join(remote.url, 'hooks'), { recursive: true });
  writeFileSync(join(remote.url, 'hooks', 'pre-receive'), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
}

it.for([
  ['goes on elsewhere', 2, 'queued'],
  ['has no iteration left', 1, 'ended'],
] as const)('a second signal lets go of a push that hangs, and the run %s', async ([, iterations, state], context) => {
  const database = await fleet(context);
  const pids = join(remote.folder, 'pids');
  // The hook and its child, git's end of the remote, and the push itself.
  hook(`sleep 300 & echo $$ $! $PPID $(ps -o ppid= -p $PPID) > '${pids}'\nwait`);
  const id = await submit(iterations);
  const worker = startWorker();
  await expect
    .poll(() => existsSync(pids) && readFileSync(pids, 'utf8').trim(), { timeout: 60_000 })
    .toMatch(/^\d+ \d+ \d+ \d+$/);
  worker.kill('SIGTERM');
  await expect.poll(() => said, { timeout: 60_000 }).toContain('SIGTERM');
  worker.kill('SIGTERM');
  expect(await once(worker, 'exit')).toEqual([0, null]);
  expect(readFileSync(pids, 'utf8').trim().split(' ').map(Number).filter(isRunning)).toEqual([]);
  expect(await database.query('select state, worker, trouble from pawl.runs')).toEqual([
    { state, worker: null, trouble: null },
  ]);
  const kept = /what is on no branch is kept in (.*)$/m.exec(said)?.[1] ?? '';
  expect(readFileSync(join(kept, 'tree', 'work'), 'utf8')).toBe('done\n');
  const logs = (await project.pawl('fleet', 'logs', id)).stdout.replaceAll(/\s+/g, ' ');
  expect(logs).toMatch(/iteration 1 interrupted .*pushed/);
  expect(logs).toMatch(/worker .*pushed: the remote does not answer/);
  expect(logs).not.toMatch(/crash|committed as|skip/);
  expect(logs.includes('; its last work is on no branch: it is kept in')).toBe(state === 'ended');
});

it('a push that is refused is seen in the status and at the end of the logs', async (context) => {
  await fleet(context);
  hook('echo "the freeze is on" >&2\nexit 1');
  const id = await submit();
  const worker = startWorker();
  await expect.poll(() => said, { timeout: 60_000 }).toContain('it is tried again');
  const trouble = expect.stringMatching(/^its work cannot be pushed: .*the freeze is on$/) as string;
  const status = (await project.pawl('fleet', 'status')).stdout;
  expect(status).toMatch(/running .* its work/);
  const { runs } = JSON.parse((await project.pawl('fleet', 'status', '--json')).stdout) as { runs: object[] };
  expect(runs).toMatchObject([{ id, trouble }]);
  const logs = await project.pawl('fleet', 'logs', id);
  expect(logs.stderr).toMatch(new RegExp(`pawl: ${id}: .*cannot be pushed: `));
  expect(logs.stderr).toContain('the freeze is on');
  rmSync(join(remote.url, 'hooks', 'pre-receive'));
  expect((await project.pawl('fleet', 'logs', id, '--follow')).stdout).toMatch(/^limit reached: /m);
  expect((await project.pawl('fleet', 'status')).stdout).not.toContain('its work');
  worker.kill('SIGTERM');
  expect(await once(worker, 'exit')).toEqual([0, null]);
});

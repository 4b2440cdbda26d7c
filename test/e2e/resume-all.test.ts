import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('resume-all');
});
afterAll(() => cli.remove());

const WAIT = { timeout: 60_000, interval: 50 };
/** Works for ever until somebody says that it is enough. */
const UNTIL_ENOUGH = 'touch here; while [ ! -e enough ]; do sleep 0.05; done; touch DONE';

/** A run whose runner is killed in the middle of an iteration. */
async function interrupted(home?: CliProject, signal: NodeJS.Signals = 'SIGKILL'): Promise<CliProject> {
  const project = new CliProject(cli, { agent: UNTIL_ENOUGH });
  if (home !== undefined) Object.assign(project.env, { ...home.env });
  const words = ['run', '-p', 'x', '--until', 'file_created: DONE', '--delay', '0s', '--', './agent.sh'];
  const runner = spawn(process.execPath, [cli.bin, ...words], { cwd: project.path, env: project.env, stdio: 'ignore' });
  onTestFinished(() => void runner.kill('SIGKILL'));
  const gone = once(runner, 'exit');
  await vi.waitFor(() => expect(existsSync(join(project.path, 'here'))).toBe(true), WAIT);
  runner.kill(signal);
  await gone;
  return project;
}

const statusOf = async (project: CliProject) =>
  (JSON.parse((await project.pawl('list', '--json')).stdout) as { status: string }[]).map(({ status }) => status);

it('runs of all projects that were interrupted go on in the background, and only those', async () => {
  const one = await interrupted();
  // As a machine that goes down in good order does.
  const two = await interrupted(one, 'SIGTERM');
  // Somebody has decided to end it.
  const stopped = await interrupted(one, 'SIGTERM');
  expect(await stopped.pawl('resume', '--detach')).toMatchObject({ status: 0 });
  expect(await stopped.pawl('stop', '--now')).toMatchObject({ status: 0 });
  await vi.waitFor(async () => expect(await statusOf(stopped)).toEqual(['stopped']), WAIT);
  // It was interrupted long ago: somebody has given it up.
  const old = await interrupted(one);
  const runs = join(old.path, '.ralph', 'runs');
  utimesSync(join(runs, readdirSync(runs)[0] ?? '', 'journal.jsonl'), 1e9, 1e9);

  const dry = await one.pawl('resume', '--all', '--dry-run');
  expect(dry).toMatchObject({ status: 0, stderr: '' });
  expect(dry.stdout).toMatch(/Would .*\b2 runs\. Nothing/);
  expect(await statusOf(one)).toEqual(['interrupted']);

  const resumed = await one.pawl('resume', '--all');
  expect(resumed).toMatchObject({ status: 0, stderr: '' });
  expect(resumed.stdout.match(/ in the background/g)).toHaveLength(2);
  for (const project of [one, two]) project.write('enough', '');
  await vi.waitFor(
    async () => expect([await statusOf(one), await statusOf(two)]).toEqual([['completed'], ['completed']]),
    WAIT,
  );
  expect(await statusOf(old)).toEqual(['interrupted']);
  expect((await one.pawl('resume', '--all')).stdout).toBe('No run was interrupted within 1d.\n');
});

it('a run that cannot go on is named, and the others go on', async () => {
  const broken = await interrupted();
  const good = await interrupted(broken);
  broken.write('agent.sh', 'no longer executable', 0o644);
  const runs = join(broken.path, '.ralph', 'runs');
  const [runId = ''] = readdirSync(runs);
  broken.write(join('.ralph', 'runs', runId, 'journal.jsonl'), 'not a journal\nat all\n');
  const resumed = await broken.pawl('resume', '--all');
  expect(resumed).toMatchObject({ status: 1 });
  expect(resumed.stderr).toContain(runId.slice(5, 15));
  expect(resumed.stdout).toContain(' in the background');
  good.write('enough', '');
  await vi.waitFor(async () => expect(await statusOf(good)).toEqual(['completed']), WAIT);
});

it('of the runs in one tree only the last goes on: the others were given up by whoever let another work there', async () => {
  const project = await interrupted();
  const words = ['run', '-p', 'x', '--until', 'file_created: DONE', '--delay', '0s', '--detach', '--', './agent.sh'];
  expect(await project.pawl(...words)).toMatchObject({ status: 0 });
  const pid = Number(JSON.parse((await project.pawl('status', '--json')).stdout).pid);
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await statusOf(project)).toEqual(['interrupted', 'interrupted']), WAIT);
  const dry = await project.pawl('resume', '--all', '--dry-run');
  expect(dry.stdout).toMatch(/Would .*\b1 run\. Nothing/);
  expect(await project.pawl('resume', '--all')).toMatchObject({ status: 0, stderr: '' });
  project.write('enough', '');
  await vi.waitFor(async () => expect(await statusOf(project)).toEqual(['completed', 'interrupted']), WAIT);
  // The last has ended in its own way.
  expect((await project.pawl('resume', '--all')).stdout).toBe('No run was interrupted within 1d.\n');
});

it('a run that was paused when the machine went down is paused when it goes on', async () => {
  const project = new CliProject(cli, {
    agent: 'echo x >> log; while [ ! -e enough ]; do sleep 0.05; done; touch DONE',
  });
  const words = ['run', '-p', 'x', '--until', 'file_created: DONE', '--delay', '0s', '--detach', '--', './agent.sh'];
  expect(await project.pawl(...words)).toMatchObject({ status: 0 });
  const status = async () =>
    JSON.parse((await project.pawl('status', '--json')).stdout) as { pid: number; status: string };
  await vi.waitFor(() => expect(existsSync(join(project.path, 'log'))).toBe(true), WAIT);
  expect(await project.pawl('pause')).toMatchObject({ status: 0 });
  expect(await project.pawl('skip')).toMatchObject({ status: 0 });
  await vi.waitFor(async () => expect((await status()).status).toBe('paused'), WAIT);
  process.kill((await status()).pid, 'SIGTERM');
  await vi.waitFor(async () => expect((await status()).status).toBe('stopped'), WAIT);
  expect((await project.pawl('status')).stdout).toMatch(/is paused when .*by pawl pause/);
  await vi.waitFor(
    async () => expect((await project.pawl('resume', '--all')).stdout).toContain('is paused as before'),
    WAIT,
  );
  await vi.waitFor(async () => expect((await status()).status).toBe('paused'), WAIT);
  expect(project.read('log')).toBe('x\n');
  project.write('enough', '');
  expect(await project.pawl('unpause')).toMatchObject({ status: 0 });
  await vi.waitFor(async () => expect((await status()).status).toBe('completed'), WAIT);
});

it.each([
  [['resume', '01ABC', '--all'], /^(?:pawl: )?--all .*every run/],
  [['resume', '--all', '--max-cost', '3'], /^(?:pawl: )?--all .*every run/],
  [['resume', '--dry-run'], '--within and --dry-run belong to --all'],
  [['resume', '--within', '3d'], '--within and --dry-run belong to --all'],
  [['resume', '--all', '--within', 'soon'], /--within: "soon" .*duration/],
])('%j is refused with words', async (words, message) => {
  const refused = await new CliProject(cli).pawl(...words);
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toMatch(message);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sizeOfFolder } from '../../src/journal/delete-run.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('prune');
});
afterAll(() => cli.remove());

/** Each iteration leaves a megabyte in the tree that nothing compresses. */
const HEAVY = 'head -c 1000000 /dev/urandom > data';

async function withRuns(count: number): Promise<CliProject> {
  const project = new CliProject(cli, { agent: HEAVY });
  for (let run = 0; run < count; run += 1) {
    const limits = ['--max-iterations', '3', '--delay', '0s'];
    expect(await project.pawl('run', '-p', 'x', ...limits, '--quiet', '--', './agent.sh')).toMatchObject({ status: 3 });
  }
  return project;
}

const runsOf = async (project: CliProject) =>
  (JSON.parse((await project.pawl('list', '--json')).stdout) as { runId: string }[]).map(({ runId }) => runId);

const trees = (project: CliProject) => join(project.home, 'state', 'pawl', 'trees');

describe('pawl prune', () => {
  it('deletes old runs under both of their names, with their snapshots, and keeps the young', async () => {
    const project = await withRuns(2);
    const [, oldest = ''] = await runsOf(project);
    const before = sizeOfFolder(trees(project));
    expect((await project.pawl('prune', '--keep', '30d')).stdout).toBe('Nothing to delete.\n');
    const dry = await project.pawl('prune', '--keep', '0s', '--dry-run');
    expect(dry.stdout).toMatch(/Would delete 2 runs, [45]\.\d MB \(\d+ kB .*records.* [45]\.\d MB .*snapshots\)/);
    expect(await runsOf(project)).toHaveLength(2);

    // What a dry run tells is what is done.
    expect((await project.pawl('prune', '--max-size', '5MB', '--dry-run')).stdout).toContain('Would delete 1 run,');
    const pruned = await project.pawl('prune', '--max-size', '5MB');
    expect(pruned).toMatchObject({ status: 0, stderr: '' });
    expect(pruned.stdout).toContain('Deleted 1 run');
    expect(await runsOf(project)).toHaveLength(1);
    expect(existsSync(join(project.path, '.ralph', 'runs', oldest))).toBe(false);
    expect(existsSync(join(project.path, '.git', 'pawl', 'runs', oldest))).toBe(false);
    expect(sizeOfFolder(trees(project))).toBeLessThan(before - 1_900_000);
    // What is left can still be restored.
    expect(await project.pawl('restore', '0')).toMatchObject({ status: 0 });
    expect(await project.pawl('restore', '1')).toMatchObject({ status: 0 });
  });

  it('reclaims the snapshots of the last run as well, and tells how much', async () => {
    const project = await withRuns(1);
    const before = sizeOfFolder(trees(project));
    const { snapshotBytes } = JSON.parse(
      (await project.pawl('prune', '--keep', '0s', '--dry-run', '--json')).stdout,
    ) as {
      readonly snapshotBytes: number;
    };
    expect(await project.pawl('prune', '--keep', '0s')).toMatchObject({ status: 0, stderr: '' });
    // What the next run is compared with stays: one version of the file.
    expect(before - sizeOfFolder(trees(project))).toBeGreaterThan(1_900_000);
    expect(snapshotBytes).toBeGreaterThan(1_900_000);
    expect(await runsOf(project)).toEqual([]);
  });

  it('a live run is never touched, however old or large', async () => {
    const project = new CliProject(cli, { agent: 'touch here; sleep 60' });
    const live = spawn(process.execPath, [cli.bin, 'run', '-p', 'x', '--', './agent.sh'], {
      cwd: project.path,
      env: project.env,
      stdio: 'ignore',
    });
    onTestFinished(() => void live.kill('SIGKILL'));
    const gone = once(live, 'exit');
    await vi.waitFor(() => expect(existsSync(join(project.path, 'here'))).toBe(true), { timeout: 60_000 });
    expect((await project.pawl('prune', '--keep', '0s', '--max-size', '0B')).stdout).toBe('Nothing to delete.\n');
    expect(await runsOf(project)).toHaveLength(1);
    live.kill('SIGTERM');
    await gone;
  });

  it('what a prune that was killed left behind is deleted by the next', async () => {
    const project = await withRuns(1);
    const left = join(project.home, 'state', 'pawl', 'runs', '.deleted-1-1');
    mkdirSync(left);
    expect(await project.pawl('prune', '--keep', '0s')).toMatchObject({ status: 0 });
    expect(existsSync(left)).toBe(false);
    expect((await project.pawl('list')).stdout).toContain('No runs');
  });

  it.each([
    [['prune'], '--keep 30d'],
    [['prune', '--keep', '30'], '--keep: "30" is not a duration'],
    [['prune', '--max-size', '5'], '--max-size: "5" is not a size; write "500MB"'],
  ])('%j is refused with words', async (words, message) => {
    const project = new CliProject(cli);
    const refused = await project.pawl(...words);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain(message);
  });
});

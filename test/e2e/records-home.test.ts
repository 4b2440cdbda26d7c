/** Where records are kept, with the built command: what an agent, git or the user does to the folder costs none of them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasEnded } from '../../src/model/phase.js';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('records-home');
});
afterAll(() => cli.remove());

const RUN = ['run', '-p', 'x', '--max-iterations', '1', '--delay', '0s', '--quiet'];
const AGENT = ['--', './agent.sh'];

/** A project with a run that wrote `file`. */
async function ran({ agent = 'echo one > file', hasGit = true } = {}): Promise<{ project: CliProject; runId: string }> {
  const project = new CliProject(cli, { agent, hasGit });
  if (hasGit) {
    project.git('add', 'agent.sh');
    project.git('commit', '--quiet', '--message=first');
  }
  expect(await project.pawl(...RUN, ...AGENT)).toMatchObject({ status: 3 });
  return { project, runId: idOf(project) };
}

const idOf = (project: CliProject) => readdirSync(home(project))[0] ?? '';
const home = (project: CliProject) => join(project.home, 'state', 'pawl', 'runs');
const seen = (project: CliProject) => join(project.path, '.ralph', 'runs');
const shell = (project: CliProject, command: string) => execFileSync('sh', ['-c', command], { cwd: project.path });

async function listed(project: CliProject, ...more: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  return JSON.parse((await project.pawl('list', '--json', ...more)).stdout) as Record<string, unknown>[];
}

describe('a record', () => {
  it('is in the state home, and the folder of the run has links to it that scripts can read', async () => {
    const { project, runId } = await ran();
    expect(lstatSync(join(seen(project), runId, 'journal.jsonl')).isSymbolicLink()).toBe(true);
    const [through, real] = [seen(project), home(project)].map((folder) =>
      readFileSync(join(folder, runId, 'state.json')),
    );
    expect(through).toEqual(real);
    expect(project.git('status', '--porcelain')).not.toContain('.ralph');
  });

  it.each(['git clean -fdxq', 'rm -rf .ralph', 'rm -rf .ralph/runs/*/', 'find . -name "*.json*" -delete'])(
    'survives %s, after the run and during it',
    async (command) => {
      const { project, runId } = await ran({ agent: `echo x >> file; ${command}` });
      shell(project, command);
      expect(await listed(project)).toMatchObject([{ runId, iterations: 1, status: 'stopped' }]);
      const resumed = await project.pawl('resume', runId, '--max-iterations', '2', '--quiet');
      expect(resumed).toMatchObject({ status: 3, stderr: '' });
      expect(await listed(project)).toMatchObject([{ runId, iterations: 2 }]);
      expect((await project.pawl('show', runId)).status).toBe(0);
    },
  );

  it('survives its whole folder, and its files are written elsewhere', async () => {
    const { project, runId } = await ran({ agent: 'mkdir -p deep; echo one > deep/file; printf "\\\\0" > binary' });
    rmSync(project.path, { recursive: true });
    mkdirSync(project.path);
    const [entry] = await listed(project, '--all');
    expect(entry).toMatchObject({ runId });
    const { status, stdout } = await project.pawl('restore', '--run', runId.slice(0, 20), '--into', '../rescued');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^\d files written to \.\.\/rescued/),
    });
    expect(readFileSync(join(project.home, 'rescued', 'deep', 'file'), 'utf8')).toBe('one\n');
    const again = await project.pawl('restore', '--run', runId, '--into', '../rescued');
    expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('not an empty folder') });
    const unwritable = await project.pawl('restore', '--run', runId, '--into', '/proc/rescued');
    expect(unwritable).toMatchObject({ status: 1, stderr: expect.stringMatching(/cannot make a folder in \/proc: no such file/) });
    expect(readdirSync(project.home).filter((name) => name.startsWith('.pawl-restore'))).toEqual([]);
  });

  it('of a folder that is gone for good is listed with --all', async () => {
    const { project, runId } = await ran();
    const other = new CliProject(cli);
    other.env['XDG_STATE_HOME'] = project.env['XDG_STATE_HOME'];
    rmSync(project.path, { recursive: true });
    expect(await listed(other, '--all')).toMatchObject([{ runId }]);
    const { status } = await other.pawl('restore', '--run', runId, '0', '--into', 'before');
    expect([status, existsSync(join(other.path, 'before', 'file'))]).toEqual([0, false]);
  });

  it('is found when the repository was moved, with its links or without them', async () => {
    const { project, runId } = await ran();
    const moved = join(project.home, 'moved');
    renameSync(project.path, moved);
    const other = new CliProject(cli);
    other.env['XDG_STATE_HOME'] = project.env['XDG_STATE_HOME'];
    expect(await listed(other, '--cwd', moved)).toMatchObject([{ runId }]);
    rmSync(join(moved, '.ralph'), { recursive: true });
    expect(await listed(other, '--cwd', moved)).toMatchObject([{ runId }]);
  });

  it('of a folder that was copied stays with the original', async () => {
    const { project, runId } = await ran();
    const copy = join(project.home, 'copy');
    cpSync(project.path, copy, { recursive: true, verbatimSymlinks: true });
    const { stdout } = await project.pawl('list', '--json', '--cwd', copy);
    expect(JSON.parse(stdout)).toMatchObject([{ runId, workingDir: project.path }]);
  });

  it('that is on another machine is named, with where its links lead', async () => {
    const { project, runId } = await ran();
    renameSync(join(project.home, 'state'), join(project.home, 'the-other-machine'));
    const { stdout, stderr } = await project.pawl('list');
    expect(stdout).toContain('No runs');
    expect(stderr).toContain(`the record of ${runId} is not here`);
    expect(stderr).toContain(join(home(project), runId));
    expect(await project.pawl('show', runId)).toMatchObject({ status: 2, stderr: expect.stringContaining('not here') });
  });

  it('is in the project where that was chosen, in CI, and where the state home cannot be written', async () => {
    const inProject = async (change: (project: CliProject) => void) => {
      const project = new CliProject(cli, { agent: 'true' });
      change(project);
      const { stderr } = await project.pawl(...RUN, ...AGENT);
      const [runId = ''] = readdirSync(seen(project));
      expect(lstatSync(join(seen(project), runId, 'journal.jsonl')).isFile()).toBe(true);
      expect(await listed(project)).toMatchObject([{ runId }]);
      return stderr;
    };
    expect(await inProject((project) => project.write('pawl.yaml', 'records: project\n'))).toBe('');
    expect(await inProject((project) => (project.env['CI'] = 'true'))).toBe('');
    const said = await inProject((project) => (project.env['XDG_STATE_HOME'] = join(project.path, 'agent.sh')));
    expect(said).toMatch(/record is kept in .*\.ralph\/runs, where the agent can reach it/);
  });

  it('is deleted with its links', async () => {
    const { project, runId } = await ran();
    expect(await project.pawl('prune', '--max-size', '1KB')).toMatchObject({ status: 0, stderr: '' });
    expect([readdirSync(home(project)), existsSync(join(seen(project), runId))]).toEqual([[], false]);
  });
});

const IS_ROOT = process.getuid?.() === 0;
const canMount = () => IS_ROOT && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

describe.runIf(canMount())('a record and its folder on two disks', () => {
  /** Runs with a small disk of its own at one of the two places, and leaves a copy of that. */
  async function withSmallDisk(at: (project: CliProject) => string, agent: string, config = 'records: home\n') {
    const project = new CliProject(cli, { agent });
    project.write('PROMPT.md', 'x');
    // The small disk is in memory, which would be a reason not to keep a record there.
    project.write('pawl.yaml', config);
    const place = at(project);
    mkdirSync(place, { recursive: true });
    const script = [
      `cp -a ${place} ${project.home}/before`,
      `mount -t tmpfs -o size=1m tmpfs ${place}`,
      `cp -a ${project.home}/before/. ${place}`,
      `cd ${project.path}`,
      `"$@"; echo "exit $?"`,
      `cp -a ${place} ${project.home}/after`,
    ].join('\n');
    const words = ['run', '--max-iterations', '3', '--delay', '0s', '--quiet', '--trust', '--', './agent.sh'];
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['-m', 'sh', '-c', script, 'sh', process.execPath, cli.bin, ...words],
      {
        env: project.env,
        encoding: 'utf8',
      },
    );
    return { project, stdout, stderr, after: join(project.home, 'after') };
  }

  it('is whole when the disk of the state home is full', async () => {
    const agent = 'yes "$(date +%N) a line of output" | head -c 3000000';
    const { stdout, after } = await withSmallDisk((project) => join(project.home, 'state'), agent);
    expect(stdout).toMatch(/exit [13]/);
    const [runId = ''] = readdirSync(join(after, 'pawl', 'runs'));
    const { torn, events } = await verifyJournal(join(after, 'pawl', 'runs', runId, 'journal.jsonl'));
    // What else fills the disk may take the space that was kept free for the end of the run.
    expect([torn, events > 3]).toEqual([undefined, true]);
  });

  it('is whole when only the disk of the folder is full', async () => {
    const agent = 'head -c 3000000 /dev/zero > big; true';
    const { project, stdout } = await withSmallDisk(({ path }) => path, agent);
    expect(stdout).toMatch(/exit [13]/);
    const [runId = ''] = readdirSync(home(project));
    const { torn, state } = await verifyJournal(join(home(project), runId, 'journal.jsonl'));
    expect([torn, hasEnded(state)]).toEqual([undefined, true]);
  });

  it('is in the project where the state home would be lost before it', async () => {
    const { project, stderr } = await withSmallDisk(({ home }) => join(home, 'state'), 'true', '');
    expect(stderr).toContain('is lost when this container or session ends');
    const [runId = ''] = readdirSync(seen(project));
    expect(lstatSync(join(seen(project), runId, 'journal.jsonl')).isFile()).toBe(true);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('restore');
});
afterAll(() => cli.remove());

/** Writes its number into a file, and a file of its own in every iteration. */
const COUNTS = 'n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n > n; echo "$n" > "file-$n"';

async function counted(iterations = 3): Promise<CliProject> {
  const project = new CliProject(cli, { agent: COUNTS });
  const limits = ['--max-iterations', String(iterations), '--delay', '0s'];
  const ran = await project.pawl('run', '-p', 'count', ...limits, '--quiet', '--', './agent.sh');
  expect(ran).toMatchObject({ status: 3 });
  return project;
}

describe('pawl restore', () => {
  it('puts the files back to any iteration and before the first, and undoes it', async () => {
    const project = await counted();
    const restored = await project.pawl('restore', '1');
    expect(restored).toMatchObject({ status: 0, stderr: '' });
    expect(restored.stdout).toMatch(/after iteration 1 \(1 file written, 2 deleted\)/);
    expect(project.read('n')).toBe('1\n');
    expect(existsSync(join(project.path, 'file-2'))).toBe(false);
    // From there on to others, without force: everything is recorded.
    expect(await project.pawl('restore', '2')).toMatchObject({ status: 0 });
    expect(project.read('n')).toBe('2\n');
    expect(await project.pawl('restore', '0')).toMatchObject({ status: 0 });
    expect(existsSync(join(project.path, 'n'))).toBe(false);
    expect(await project.pawl('restore', '--undo')).toMatchObject({ status: 0 });
    expect(project.read('n')).toBe('2\n');
    expect((await project.pawl('show')).stdout).toContain('restored');
  });

  it('a restored tree is what a resumed run starts from, and its first iteration is not charged with the restore', async () => {
    const project = await counted(2);
    await project.pawl('restore', '1');
    expect(await project.pawl('resume', '--max-iterations', '3', '--quiet')).toMatchObject({ status: 3 });
    expect(project.read('n')).toBe('2\n');
    const shown = JSON.parse((await project.pawl('show', '3', '--json')).stdout);
    expect(shown.observation.files).toMatchObject({ created: ['file-2'], modified: ['n'], deleted: [] });
  });

  it('a deleted file that was too large to be kept is reported as missing, and the exit code is not 0', async () => {
    const project = new CliProject(cli, { agent: 'rm -f big; echo done > n' });
    project.write('big', '');
    truncateSync(join(project.path, 'big'), 101 * 1024 * 1024);
    await project.pawl('run', '-p', 'go', '--max-iterations', '1', '--quiet', '--', './agent.sh');
    const restored = await project.pawl('restore', '0');
    expect(restored.status).toBe(1);
    expect(restored.stdout).toMatch(/before the first iteration,.* 1 file/);
    expect(restored.stdout).toMatch(/^ {2}big: .*missing.*too large/m);
  });

  it('work of the user is named and kept, unless forced, and comes back', async () => {
    const project = await counted();
    project.write('n', 'by hand\n');
    project.write('notes.md', 'mine\n');
    const refused = await project.pawl('restore', '1');
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('nothing was restored');
    expect(refused.stderr).toContain('  n\n');
    expect(refused.stderr).toContain('  notes.md\n');
    expect(refused.stderr).toContain('--force');
    expect(project.read('n')).toBe('by hand\n');
    expect(await project.pawl('restore', '1', '--force')).toMatchObject({ status: 0 });
    expect(existsSync(join(project.path, 'notes.md'))).toBe(false);
    expect(await project.pawl('restore', '--undo')).toMatchObject({ status: 0 });
    expect(project.read('notes.md')).toBe('mine\n');
    expect(project.read('n')).toBe('by hand\n');
  });

  it('forced away work comes back, also after more restores, by --undo again and again or by its name', async () => {
    const project = await counted();
    project.write('n', 'hours of work\n');
    const forced = (await project.pawl('restore', '0', '--force')).stdout;
    await project.pawl('restore', '0');
    await project.pawl('restore', '1');
    expect(await project.pawl('restore', '--undo')).toMatchObject({ status: 0 });
    expect(await project.pawl('restore', '--undo')).toMatchObject({ status: 0 });
    expect(project.read('n')).toBe('hours of work\n');
    await project.pawl('restore', '2');
    const [, name = ''] = /--to ([0-9a-f]{10})$/m.exec(forced) ?? [];
    expect(await project.pawl('restore', '--to', name)).toMatchObject({ status: 0 });
    expect(project.read('n')).toBe('hours of work\n');
  });

  it('nothing is restored under a live run', async () => {
    const project = new CliProject(cli, { agent: 'touch here; sleep 60' });
    const live = spawn(process.execPath, [cli.bin, 'run', '-p', 'x', '--', './agent.sh'], {
      cwd: project.path,
      env: project.env,
      stdio: 'ignore',
    });
    onTestFinished(() => void live.kill('SIGKILL'));
    const gone = once(live, 'exit');
    await vi.waitFor(() => expect(existsSync(join(project.path, 'here'))).toBe(true), { timeout: 60_000 });
    const refused = await project.pawl('restore', '0');
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('pawl stop');
    live.kill('SIGTERM');
    await gone;
  });

  it.each([
    [['restore'], /iteration.*pawl show/],
    [['restore', '9'], /no iteration 9; .* 0 to 3/],
    [['restore', '--undo'], /no restore/],
    [['restore', '1', '--undo'], 'only one of them'],
    [['restore', '--to', 'abcdef0'], 'has recorded no snapshot "abcdef0"'],
    [['restore', '--to', '../x'], 'has recorded no snapshot'],
    [['restore', 'nope', '1'], 'there is no run "nope"'],
    [['restore', '', 'x'], /"x" is not an iteration; write a number from 0/],
    [['diff', '9'], 'has ended 3 iterations'],
  ])('%j is refused with words', async (words, message) => {
    const project = await counted();
    const refused = await project.pawl(...words);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toMatch(message);
  });

  it('snapshots that are gone are named, and nothing is changed', async () => {
    const project = await counted();
    rmSync(join(project.home, 'state', 'pawl', 'trees'), { recursive: true });
    const refused = await project.pawl('restore', '1');
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain('the tree is not restored');
    expect(project.read('n')).toBe('3\n');
  });
});

describe('pawl diff', () => {
  it('is a patch that git applies, with binary files, and says where when it is not here', async () => {
    const project = new CliProject(cli, { agent: 'cd ..; head -c 5000 /dev/urandom > bin; echo x > app/text' });
    project.write('app/agent.sh', project.read('agent.sh'), 0o755);
    const words = ['run', '-p', 'x', '--max-iterations', '1', '--quiet', '--cwd', 'app', '--', './agent.sh'];
    expect(await project.pawl(...words)).toMatchObject({ status: 3 });
    const patch = await project.pawl('diff', '--cwd', 'app');
    expect(patch.stdout).toContain('GIT binary patch');
    expect(patch.stderr).toContain('git apply');
    const before = project.read('bin');
    project.write('../patch', patch.stdout);
    project.git('apply', '-R', '../patch');
    expect(existsSync(join(project.path, 'bin'))).toBe(false);
    project.git('apply', '../patch');
    expect(project.read('bin')).toBe(before);
  });

  it('shows an iteration or the whole run, as a patch that git applies', async () => {
    const project = await counted();
    const patch = await project.pawl('diff', '2');
    expect(patch).toMatchObject({ status: 0, stderr: '' });
    expect(patch.stdout).toContain('+++ b/file-2');
    expect(patch.stdout).not.toContain('file-3');
    expect(JSON.parse((await project.pawl('diff', '--json')).stdout).files).toEqual([
      { status: 'created', path: 'file-1' },
      { status: 'created', path: 'file-2' },
      { status: 'created', path: 'file-3' },
      { status: 'created', path: 'n' },
    ]);
    expect((await project.pawl('diff', '--name-only')).stdout).toBe('file-1\nfile-2\nfile-3\nn\n');
    expect((await project.pawl('diff', '--stat')).stdout).toContain('4 files changed, 4 insertions(+)');
    const whole = (await project.pawl('diff')).stdout;
    await project.pawl('restore', '0');
    project.write('whole.patch', whole);
    project.git('apply', 'whole.patch');
    expect([project.read('file-2'), project.read('n')]).toEqual(['2\n', '3\n']);
  });
});

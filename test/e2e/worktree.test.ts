import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BuiltCli } from '../support/cli-project.js';
import { type CliOutcome, runPawl } from '../support/in-process.js';

const WAIT = { timeout: 60_000, interval: 20 };
let cli: BuiltCli;
let folder = '';
let bin = '';

beforeAll(() => {
  cli = new BuiltCli('worktree');
  ({ folder, bin } = cli);
});
afterAll(() => cli.remove());

const DONE_IN_TWO =
  'n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n > n; echo "round $n"; [ $n = 2 ] && touch DONE; true';

/** A repository with an agent and one commit. */
class Repository {
  readonly home = mkdtempSync(join(folder, 'home-'));
  readonly path = join(this.home, 'repo');
  readonly env = {
    PATH: process.env['PATH'],
    HOME: this.home,
    XDG_STATE_HOME: join(this.home, 'state'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'User',
    GIT_AUTHOR_EMAIL: 'user@localhost',
    GIT_COMMITTER_NAME: 'User',
    GIT_COMMITTER_EMAIL: 'user@localhost',
  };

  constructor(agent = DONE_IN_TWO) {
    mkdirSync(this.path);
    this.write('agent.sh', `#!/usr/bin/env bash\ncat > /dev/null\n${agent}\n`);
    chmodSync(join(this.path, 'agent.sh'), 0o755);
    this.git('init', '--quiet', '--initial-branch=main');
    this.commit();
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  commit(): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message=The work of the user');
  }

  git(...words: string[]): string {
    const { status, stdout, stderr } = spawnSync('git', words, { cwd: this.path, env: this.env, encoding: 'utf8' });
    expect({ words, status, stderr }).toMatchObject({ status: 0 });
    return stdout.trim();
  }

  /** All that a run could have changed of the user's. */
  shape() {
    return {
      status: this.git('status', '--porcelain'),
      head: this.git('rev-parse', 'HEAD'),
      branches: this.branches(),
    };
  }

  branches(): readonly string[] {
    return this.git('for-each-ref', '--format=%(refname:short)').split('\n');
  }

  worktrees(): readonly string[] {
    const parent = join(this.env.XDG_STATE_HOME, 'pawl', 'worktrees');
    const [repository] = existsSync(parent) ? readdirSync(parent) : [];
    return repository === undefined
      ? []
      : readdirSync(join(parent, repository)).map((name) => join(parent, repository, name));
  }

  pawl(
    words: readonly string[],
    cwd = this.path,
    environment: Readonly<Record<string, string | undefined>> = this.env,
  ): Promise<CliOutcome> {
    return runPawl(bin, words, { cwd, environment });
  }

  run(...words: string[]) {
    return this.pawl(runWords(words));
  }
}

function runWords(words: readonly string[]): readonly string[] {
  return ['run', '-p', 'Go.', '--delay', '0', '--until', 'file_created: DONE', ...words, '--', './agent.sh'];
}

function idIn(text: string): string {
  return /loop_\w{26}/.exec(text)?.[0] ?? '';
}

describe('pawl run --worktree', () => {
  it('[p19] leaves the tree of the user as it is, and its work can be merged by the command that it prints', async () => {
    const repository = new Repository();
    const before = repository.shape();
    const { status, stdout, stderr } = await repository.run('--worktree', 'try');
    const [path = ''] = repository.worktrees();
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(new RegExp(`^.*worktree ${path}, .*branch pawl/try\\n$`)),
    });
    expect(path).toMatch(/\/state\/pawl\/worktrees\/repo-[0-9a-f]{8}\/try$/);
    expect(repository.shape()).toEqual({ ...before, branches: ['main', 'pawl/try'] });
    expect(readdirSync(repository.path).toSorted()).toEqual(['.git', 'agent.sh']);
    expect(repository.git('log', '--format=%an %s', 'main..pawl/try')).toBe(
      'Pawl pawl: iteration 2\nPawl pawl: iteration 1',
    );
    const next = stdout.slice(stdout.indexOf('  next'));
    const id = idIn(stdout).slice(5, 15);
    expect(
      next.split('\n').map((line) =>
        line
          .replace('  next', '')
          .replace(/^ +[a-z ]+: +/, '')
          .trim(),
      ),
    ).toEqual([
      `pawl diff ${id} --cwd ${path}`,
      'git merge pawl/try',
      `git worktree remove ${path}`,
      `pawl show ${id} --cwd ${path}`,
      '',
    ]);
    expect(await repository.pawl(['show', id, '--cwd', path])).toMatchObject({ status: 0 });
    repository.git('merge', '--quiet', 'pawl/try');
    expect(readFileSync(join(repository.path, 'n'), 'utf8')).toBe('2\n');
    repository.git('worktree', 'remove', path);
    expect(existsSync(path)).toBe(false);
    expect(repository.branches()).toEqual(['main', 'pawl/try']);
    expect(await repository.pawl(['show', id])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('DONE exists'),
    });
  });

  it('is named after the run when no name is given', async () => {
    const repository = new Repository();
    const id = idIn((await repository.run('--worktree')).stdout)
      .slice(5, 15)
      .toLowerCase();
    expect(repository.branches()).toEqual(['main', `pawl/${id}`]);
    expect(repository.worktrees()).toEqual([expect.stringMatching(new RegExp(`/${id}$`))]);
  });

  it('is found, shown and resumed from the tree of the user, after a stop at a limit', async () => {
    const repository = new Repository();
    const stopped = await repository.run('--worktree', 'try', '--max-iterations', '1');
    const id = idIn(stopped.stdout);
    const short = id.slice(5, 15);
    const [path = ''] = repository.worktrees();
    expect(stopped.status).toBe(3);
    expect(stopped.stdout).toContain(`pawl resume ${short} --max-iterations 2\n`);
    expect(stopped.stdout).toContain('git merge pawl/try\n');
    expect((await repository.pawl(['list'])).stdout).toMatch(
      new RegExp(`^${short} .* 1 of 1 iteration \\[pawl/try\\]$`, 'm'),
    );
    expect(JSON.parse((await repository.pawl(['list', '--json'])).stdout)).toMatchObject([
      { runId: id, worktree: { path, branch: 'pawl/try', repository: repository.path } },
    ]);
    for (const command of ['show', 'status', 'logs']) {
      expect(await repository.pawl([command, short])).toMatchObject({ status: 0, stderr: '' });
    }
    const resumed = await repository.pawl(['resume', short, '--max-iterations', '3']);
    expect(resumed).toMatchObject({ status: 0, stderr: '' });
    expect(resumed.stdout).toMatch(new RegExp(`^ {2}record +${join(path, '.ralph', 'runs', id)}$`, 'm'));
    expect(repository.git('log', '--format=%s', 'main..pawl/try')).toBe('pawl: iteration 2\npawl: iteration 1');
    expect(existsSync(join(repository.path, '.ralph'))).toBe(false);
  });

  it('[p19] says how to get a worktree back that was removed before the resume', async () => {
    const repository = new Repository();
    await repository.run('--worktree', 'try', '--max-iterations', '1');
    const [path = ''] = repository.worktrees();
    repository.git('worktree', 'remove', path);
    const again = `git worktree add ${path} pawl/try`;
    expect(await repository.pawl(['resume', '--max-iterations', '3'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(new RegExp(`gone.*; ${again} `)),
    });
    repository.git(...again.split(' ').slice(1));
    expect(await repository.pawl(['resume', '--max-iterations', '3'])).toMatchObject({ status: 0 });
  });

  it('ends with an error that names the worktree when the agent removes it, and keeps the record', async () => {
    const repository = new Repository('rm -rf "$PWD"');
    const { status, stdout, stderr } = await repository.run('--worktree', 'gone');
    const [, path = ''] = /worktree (\S+), /.exec(stderr) ?? [];
    expect({ status, stdout: stdout.replaceAll(/\s+/g, ' ') }).toEqual({
      status: 1,
      stdout: expect.stringMatching(new RegExp(`Failed .*the working directory ${path} is gone`)),
    });
    expect(existsSync(path)).toBe(false);
    const record = await repository.pawl(['status', '--json', idIn(stdout)]);
    expect(record).toMatchObject({ status: 0 });
    expect(JSON.parse(record.stdout)).toMatchObject({
      status: 'error',
      iterations: 1,
      ended: { error: expect.stringContaining(path) },
    });
  });

  it('works in the same folder of the worktree, with the prompt and the config of the user', async () => {
    const repository = new Repository();
    const sub = join(repository.path, 'packages', 'web');
    mkdirSync(sub, { recursive: true });
    writeFileSync(join(sub, 'agent.sh'), '#!/bin/sh\ntouch DONE ../../above\n', { mode: 0o755 });
    repository.commit();
    writeFileSync(join(sub, 'task.md'), 'Do it.\n');
    writeFileSync(join(sub, 'pawl.yaml'), 'iteration_delay: 0s\nstop:\n  success: [{ file_created: DONE }]\n');
    const { status, stderr } = await repository.pawl(['run', 'task.md', '--worktree', 'try', '--', './agent.sh'], sub);
    const [path = ''] = repository.worktrees();
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/2 uncommitted changes .*not in the worktree\n/),
    });
    const committed = repository.git('diff', '--name-only', 'main', 'pawl/try').split('\n');
    expect(committed).toEqual(['above', 'packages/web/DONE']);
    for (const place of [sub, repository.path]) {
      expect(JSON.parse((await repository.pawl(['list', '--json'], place)).stdout)).toMatchObject([
        { workingDir: join(path, 'packages', 'web') },
      ]);
    }
  });

  it('says how to commit where the config forbids it', async () => {
    const repository = new Repository();
    repository.write('pawl.yaml', 'commit: never\n');
    const { stdout } = await repository.run('--worktree', 'try');
    const [path = ''] = repository.worktrees();
    expect(stdout).toContain(`git -C ${path} add --all && git -C ${path} commit && git merge pawl/try\n`);
    expect(repository.git('log', '--format=%s', 'main..pawl/try')).toBe('');
  });

  it('has no merge to offer when the work could not be committed, and says why', async () => {
    const repository = new Repository('touch work "$(git rev-parse --git-dir)/index.lock"');
    const { stdout } = await repository.run('--worktree', 'try', '--max-iterations', '1');
    // Where the lines break depends on the length of the path.
    expect(stdout.replaceAll(/\s+/g, '')).toMatch(/commitsnone:gitadd:Unabletocreate'[^']*index\.lock':Fileexists\./);
    expect(stdout).not.toMatch(/^ +(next +)?git merge/m);
    const status = (await repository.pawl(['status'])).stdout;
    expect(status).toMatch(/^ {2}commits +none: git add/m);
  });

  it('goes on in the background, and is waited for from the tree of the user', async () => {
    const repository = new Repository();
    const { status, stdout } = await repository.run('--worktree', '--detach');
    const short = idIn(stdout).slice(5, 15);
    expect(status).toBe(0);
    expect(await repository.pawl(['wait', short])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(new RegExp(`^${short}: Done .*DONE exists`)),
    });
    expect(repository.git('log', '--format=%s', `main..pawl/${short.toLowerCase()}`)).toContain('pawl: iteration 2');
  });

  it('goes on beside another one, and is stopped from the tree of the user', async () => {
    const repository = new Repository('touch begun; sleep 600');
    writeFileSync(join(repository.path, 'quick.sh'), '#!/bin/sh\ntouch DONE\n', { mode: 0o755 });
    repository.commit();
    const child = spawn(process.execPath, [bin, ...runWords(['--worktree', 'try'])], {
      cwd: repository.path,
      env: repository.env,
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await expect.poll(() => existsSync(join(repository.worktrees()[0] ?? '', 'begun')), WAIT).toBe(true);
    const quick = runWords(['--worktree', 'other']).slice(0, -1);
    expect(await repository.pawl([...quick, './quick.sh'])).toMatchObject({ status: 0 });
    expect(await repository.pawl(['stop', '--now'])).toMatchObject({ status: 0 });
    expect(await ended).toBe(130);
  });
});

describe('what has no worktree', () => {
  const refusal = (text: string) => ({ status: 2, stdout: '', stderr: expect.stringContaining(text) });

  it('is a name that is taken, or that no branch can have', async () => {
    const repository = new Repository();
    repository.git('branch', 'pawl/taken');
    const before = repository.shape();
    expect(await repository.run('--worktree', 'taken')).toMatchObject(refusal('branch pawl/taken already'));
    for (const name of ['a..b', 'a b', '../../up', '/', 'x.lock']) {
      expect(await repository.run('--worktree', name)).toMatchObject(refusal('name of a branch'));
    }
    expect(repository.shape()).toEqual(before);
    expect(existsSync(repository.env.XDG_STATE_HOME)).toBe(false);
  });

  it('is a folder without a repository, and one without a commit', async () => {
    const repository = new Repository();
    const outside = mkdtempSync(join(repository.home, 'outside-'));
    cpSync(join(repository.path, 'agent.sh'), join(outside, 'agent.sh'));
    const words = runWords(['--worktree']);
    expect(await repository.pawl(words, outside)).toMatchObject(refusal(`${outside} is not in a git`));
    spawnSync('git', ['init', '--quiet'], { cwd: outside, env: repository.env });
    expect(await repository.pawl(words, outside)).toMatchObject(refusal(`${outside} has no commit yet`));
  });

  it('is a prompt file that would be taken for its name', async () => {
    const repository = new Repository();
    repository.write('task.md', 'Do it.');
    const refused = refusal('"task.md" was taken as the NAME of the worktree');
    // Without another prompt that is what has to be said, too.
    expect(await repository.pawl(['run', '--worktree', 'task.md', '--', './agent.sh'])).toMatchObject(refused);
    repository.write('PROMPT.md', 'Another thing.');
    const { stderr, ...result } = await repository.pawl(['run', '--worktree', 'task.md', '--', './agent.sh']);
    expect({ stderr, ...result }).toMatchObject(refused);
    expect(stderr).toContain('pawl run task.md --worktree');
  });

  it('is a run that cannot begin there: nothing is left behind, in the background neither', async () => {
    const repository = new Repository();
    const before = repository.shape();
    repository.write('new.sh', '#!/bin/sh\n');
    chmodSync(join(repository.path, 'new.sh'), 0o755);
    for (const words of [
      ['--worktree', 'try'],
      ['--worktree', 'try', '--detach'],
      ['--worktree', 'try', '--dry-run'],
    ]) {
      const { status } = await repository.pawl(['run', '-p', 'Go.', ...words, '--', './new.sh']);
      expect(status).toBe(words.includes('--dry-run') ? 0 : 2);
      expect(repository.shape()).toEqual({ ...before, status: '?? new.sh' });
      expect(existsSync(repository.env.XDG_STATE_HOME)).toBe(false);
    }
  });

  it('is a run whose git is steered elsewhere', async () => {
    const repository = new Repository();
    const env = { ...repository.env, GIT_DIR: join(repository.path, '.git') };
    expect(await repository.pawl(runWords(['--worktree']), repository.path, env)).toMatchObject(
      refusal('GIT_DIR is set'),
    );
  });
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { commitMessage, commitWork } from './commit-work.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-commit-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let tree = '';
const environment = { PATH: process.env['PATH'], HOME: base };
const git = (...args: string[]) => execFileSync('git', args, { cwd: tree, encoding: 'utf8', env: environment }).trim();
const write = (name: string, text: string) => writeFileSync(join(tree, name), text);
const message = commitMessage('pawl: iteration 3', 'did it', { 'Pawl-Run': 'loop_x', 'Pawl-Iteration': '3' });
const commit = (folder = tree) => commitWork({ folder, environment, message });

beforeEach(() => {
  tree = mkdtempSync(join(base, 'tree-'));
  git('init', '-q');
  git('config', 'user.email', 'me@example.com');
  git('config', 'user.name', 'Me');
  write('a', '1');
  git('add', '-A');
  git('commit', '-qm', 'first');
});

describe('a commit of the work', () => {
  it('has everything that is not ignored, as Pawl, with trailers that tell the run', async () => {
    write('a', '2');
    write('new', 'x');
    write('.gitignore', 'secret\n');
    write('secret', 'y');
    expect(await commit()).toEqual({ commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(git('log', '-1', '--format=%an <%ae>|%s|%(trailers:key=Pawl-Run,valueonly)')).toBe(
      'Pawl <pawl@localhost>|pawl: iteration 3|loop_x',
    );
    expect(git('show', '--stat', '--format=', '--name-only').split('\n').sort()).toEqual(['.gitignore', 'a', 'new']);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('is not made when nothing changed', async () => {
    const head = git('rev-parse', 'HEAD');
    expect(await commit()).toEqual({ nothing: true });
    expect(git('rev-parse', 'HEAD')).toBe(head);
  });

  it('runs no hook and asks for no signature', async () => {
    // Only the first of them is left out by --no-verify.
    for (const hook of ['pre-commit', 'prepare-commit-msg', 'reference-transaction']) {
      write(`.git/hooks/${hook}`, '#!/bin/sh\nexit 1\n');
      execFileSync('chmod', ['+x', join(tree, `.git/hooks/${hook}`)]);
    }
    git('config', 'commit.gpgsign', 'true');
    git('config', 'gpg.program', '/no/such/program');
    write('a', '3');
    expect(await commit()).toHaveProperty('commit');
  });

  it('leaves what the user has staged outside the working directory', async () => {
    mkdirSync(join(tree, 'sub'));
    write('sub/b', '1');
    write('staged', 'mine');
    git('add', 'staged');
    expect(await commit(join(tree, 'sub'))).toHaveProperty('commit');
    expect(git('show', '--format=', '--name-only')).toBe('sub/b');
    expect(git('status', '--porcelain')).toBe('A  staged');
  });

  it('a submodule that is not checked out does not keep the work from being committed', async () => {
    const [library, copy] = [mkdtempSync(join(base, 'library-')), mkdtempSync(join(base, 'copy-'))];
    execFileSync('git', ['clone', '-q', tree, library], { env: environment });
    git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library, 'module');
    git('commit', '-qm', 'with a submodule');
    execFileSync('git', ['clone', '-q', tree, copy], { env: environment });
    tree = copy;
    write('a', '2');
    expect(await commit()).toHaveProperty('commit');
    expect(git('show', '--format=', '--name-only')).toBe('a');
    mkdirSync(join(tree, 'sub'));
    write('sub/b', '1');
    write('staged', 'mine');
    git('add', 'staged');
    expect(await commit(join(tree, 'sub'))).toHaveProperty('commit');
    expect(git('show', '--format=', '--name-only')).toBe('sub/b');
    expect(git('status', '--porcelain')).toBe('A  staged');
    expect(readdirSync(join(tree, '.git')).filter((name) => name.startsWith('index'))).toEqual(['index']);
  });

  it('changes inside a submodule, which nobody can stage from here, are nothing to commit', async () => {
    const library = mkdtempSync(join(base, 'library-'));
    execFileSync('git', ['clone', '-q', tree, library], { env: environment });
    git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library, 'module');
    git('commit', '-qm', 'with a submodule');
    write('module/a', 'changed');
    expect(await commit()).toEqual({ nothing: true });
  });

  it('touches nothing in the middle of a merge or a rebase: conflicts stay conflicts', async () => {
    git('checkout', '-qb', 'other');
    write('a', 'theirs');
    git('commit', '-qam', 'theirs');
    git('checkout', '-q', '-');
    write('a', 'ours');
    git('commit', '-qam', 'ours');
    for (const begin of [
      ['merge', 'other'],
      ['rebase', 'other'],
    ]) {
      expect(() => execFileSync('git', begin, { cwd: tree, env: environment, stdio: 'ignore' })).toThrow('failed');
      const conflicts = git('ls-files', '-u');
      expect(conflicts).not.toBe('');
      expect(await commit()).toEqual({ error: expect.stringMatching(/not finished.*nothing/) });
      expect(git('ls-files', '-u')).toBe(conflicts);
      git(begin[0] ?? '', '--abort');
    }
  });

  it('that cannot be made says why', async () => {
    write('.git/index.lock', '');
    write('a', '4');
    expect(await commit()).toEqual({ error: expect.stringContaining('index.lock') });
    const folder = mkdtempSync(join(base, 'plain-'));
    expect(await commit(folder)).toEqual({ error: expect.stringContaining('not a git repository') });
  });

  it('that cannot be made says first what it died of, not what git warned about', async () => {
    git('config', 'core.autocrlf', 'input');
    git('config', 'core.safecrlf', 'warn');
    git('config', '--global', 'filter.broken.clean', 'false');
    git('config', '--global', 'filter.broken.required', 'true');
    write('.gitattributes', 'b filter=broken\n');
    write('a', 'x\r\n'.repeat(3));
    write('b', 'x');
    expect(await commit()).toEqual({ error: expect.stringMatching(/^git add: external filter/) });
    const withoutGit = await commitWork({ folder: tree, environment: { PATH: '/nowhere' }, message });
    expect(withoutGit).toEqual({ error: expect.stringContaining('git cannot be started') });
  });

  it('has no trailer that the agent made up', () => {
    const forged = commitMessage('s', 'Pawl-Run: other\nfine', { 'Pawl-Run': 'mine' });
    expect(forged).toBe('s\n\n Pawl-Run: other\nfine\n\nPawl-Run: mine');
  });
});

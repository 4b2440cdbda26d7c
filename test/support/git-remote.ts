import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IDENTITY = ['-c', 'user.name=a user', '-c', 'user.email=user@localhost', '-c', 'tag.gpgSign=false'];

/** A bare repository on disk that others clone from, in a folder of its own with a home for git and one for a worker. */
export class GitRemote {
  /** With blanks, as paths may have them. */
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl git remote ')));
  readonly url = join(this.folder, 'the repository.git');
  readonly home = join(this.folder, 'worker home');
  readonly environment = {
    PATH: process.env['PATH'],
    HOME: join(this.folder, 'user'),
    GIT_CONFIG_NOSYSTEM: '1',
  };

  /** With a branch `main` of two commits, or as a copy of another one. */
  constructor(from?: GitRemote) {
    mkdirSync(this.environment.HOME);
    if (from !== undefined) {
      cpSync(from.url, this.url, { recursive: true });
      return;
    }
    this.git(this.folder, 'init', '-q', '--bare', '-b', 'main', this.url);
    this.git(this.folder, 'clone', '-q', this.url, 'author');
    const author = join(this.folder, 'author');
    for (const text of ['one', 'two']) this.commit(author, { file: text });
    this.git(author, 'push', '-q', 'origin', 'HEAD:main');
  }

  git(folder: string, ...args: readonly string[]): string {
    const options = { cwd: folder, env: this.environment, encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync('git', [...IDENTITY, ...args], options).trimEnd();
  }

  /** Asks the remote itself. */
  ask(...args: readonly string[]): string {
    return this.git(this.url, ...args);
  }

  /** Commits files to the branch that a working tree is on. Its hash. */
  commit(tree: string, files: Readonly<Record<string, string | Buffer>>): string {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(tree, name), text);
    this.git(tree, 'add', '-A');
    this.git(tree, 'commit', '-q', '-m', Object.keys(files).join());
    return this.git(tree, 'rev-parse', 'HEAD');
  }

  /** A new commit on a branch of the remote, made by somebody else. */
  advance(branch: string, name: string): string {
    const tree = mkdtempSync(join(this.folder, 'other '));
    this.git(tree, 'clone', '-q', this.url, '.');
    this.git(tree, 'checkout', '-q', branch);
    const commit = this.commit(tree, { [name]: name });
    this.git(tree, 'push', '-q', 'origin', `HEAD:${branch}`);
    return commit;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

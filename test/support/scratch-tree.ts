import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type FileTrackerOptions, openFileTracker } from '../../src/observation/files/file-tracker.js';

const IDENTITY = ['-c', 'user.name=a user', '-c', 'user.email=user@localhost', '-c', 'protocol.file.allow=always'];

/** A work tree in a temporary folder, with a home of its own beside it. */
export class ScratchTree {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-files-')));
  readonly top = join(this.folder, 'tree');
  readonly state = join(this.folder, 'state');
  readonly environment = {
    PATH: process.env.PATH,
    HOME: join(this.folder, 'home'),
    XDG_STATE_HOME: this.state,
    GIT_CONFIG_NOSYSTEM: '1',
  };
  readonly tracker;
  #count = 0;

  constructor({ hasGit = true, ...options }: Partial<FileTrackerOptions> & { readonly hasGit?: boolean } = {}) {
    mkdirSync(this.environment.HOME, { recursive: true });
    mkdirSync(this.top);
    if (hasGit) this.git('init', '-q');
    this.tracker = this.open(options);
  }

  open(options: Partial<FileTrackerOptions> = {}) {
    return openFileTracker({ workingDir: this.top, runId: 'loop_TEST', environment: this.environment, ...options });
  }

  at(path: string): string {
    return join(this.top, path);
  }

  write(path: string, content: string | Buffer, mode?: number): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
    if (mode !== undefined) chmodSync(this.at(path), mode);
  }

  git(...args: readonly string[]): string {
    return this.gitIn(this.top, ...args);
  }

  gitIn(folder: string, ...args: readonly string[]): string {
    const env = { ...this.environment };
    return execFileSync('git', [...IDENTITY, ...args], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
  }

  commitAll(): void {
    this.git('add', '-A');
    this.git('commit', '-qm', 'all');
  }

  /** A snapshot that must succeed; complete unless said otherwise. */
  async tree(incomplete: unknown = []): Promise<string> {
    this.#count += 1;
    const snapshot = await this.tracker.snapshot(`snapshot ${this.#count}`);
    expect(snapshot).toEqual({ tree: expect.stringMatching(/^[0-9a-f]{40}$/), incomplete });
    return 'tree' in snapshot ? snapshot.tree : '';
  }

  /** What `work` changed, as the tracker sees it. */
  async changes(work: () => unknown, incomplete: unknown = []) {
    const before = await this.tree(expect.anything());
    await work();
    const changes = await this.tracker.changes(before, await this.tree(incomplete));
    if ('error' in changes) throw new Error(changes.error);
    return changes;
  }

  /** The folder of the shadow repository. */
  get shadow(): string {
    const trees = join(this.state, 'pawl', 'trees');
    return join(trees, readdirSync(trees)[0] ?? '');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Every file below a folder with its content, mode, inode and time, but for Pawl's own part of a `.git`. */
export function fingerprint(folder: string): string {
  const hash = createHash('sha256');
  const visit = (path: string, name: string) => {
    const stat = lstatSync(path, { bigint: true });
    if (name === '/pawl') return;
    hash.update(`${name} ${stat.mode} ${stat.ino} ${stat.mtimeNs}\0`);
    if (stat.isDirectory()) for (const entry of readdirSync(path).sort()) visit(join(path, entry), `${name}/${entry}`);
    else if (stat.isFile()) hash.update(readFileSync(path));
  };
  visit(folder, '');
  return hash.digest('hex');
}

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onAbort } from './abort.js';

/** Folders of ten files, three deep, as in a large repository. */
export class LargeTree {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-peers-tree-')));
  readonly top = join(this.folder, 'tree');
  readonly #forgetAtAbort = onAbort(() => this.remove());

  constructor(files: number) {
    const line = 'export const value = compute(first, second, third);\n';
    for (let file = 0; file < files; file++) {
      const inner = Math.floor(file / 10);
      const path = join(this.top, `package-${inner % 40}`, `module-${inner % 400}`, `part-${inner}`);
      if (file % 10 === 0) mkdirSync(path, { recursive: true });
      writeFileSync(join(path, `file-${file}.ts`), `// ${file}\n${line.repeat(5 + (file % 40))}`);
    }
    this.git('init', '-q', '-b', 'main');
    this.git('add', '-A');
    this.git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-qm', 'all');
    this.git('tag', 'start');
  }

  git(...words: readonly string[]): void {
    const env = { PATH: process.env['PATH'], HOME: this.folder, GIT_CONFIG_NOSYSTEM: '1' };
    const { status } = spawnSync('git', words, { cwd: this.top, env, stdio: 'ignore' });
    if (status !== 0) throw new Error(`git ${words.join(' ')} does not work here`);
  }

  /** As it was before a runner worked in it, or committed to it. */
  clean(): void {
    // A runner that was ended in the middle of a git command leaves its lock.
    rmSync(join(this.top, '.git', 'index.lock'), { force: true });
    this.git('checkout', '-q', '--force', '-B', 'main', 'start');
    this.git('clean', '-ffdxq');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    this.#forgetAtAbort();
  }
}

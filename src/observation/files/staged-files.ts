import { closeSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CallLimits, ShadowRepository } from './shadow-repository.js';
import { isStandIn, statOf } from './large-files.js';
import { fileAt, type PathBytes } from './work-tree.js';
import type { TreeEntry } from './tree-entries.js';

/** A stand-in is shorter. */
const SHORT_BYTES = 300;

/** Files of a snapshot, written out in a private folder next to the work tree, ready to be moved into place. */
export class StagedFiles {
  readonly #shadow: ShadowRepository;
  readonly #folder: string;

  constructor(shadow: ShadowRepository, folder: string) {
    this.#shadow = shadow;
    this.#folder = folder;
  }

  async fill(entries: ReadonlyMap<PathBytes, TreeEntry>, limits: CallLimits): Promise<void> {
    this.remove();
    if (entries.size === 0) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const variables = { GIT_INDEX_FILE: join(this.#folder, 'index') };
    const lines = [...entries].map(([path, { mode, blob }]) => `${mode} ${blob} 0\t${path}\0`).join('');
    const input = Buffer.from(lines, 'latin1');
    await this.#shadow.git(['update-index', '-z', '--index-info'], limits, { input, variables });
    const write = ['checkout-index', '-q', '-a', '-f', `--prefix=${this.files}/`];
    await this.#shadow.git(write, limits, { variables });
  }

  at(path: PathBytes): Buffer {
    return fileAt(this.files, path);
  }

  /** Only size and time of a file were kept. */
  isStandIn(path: PathBytes): boolean {
    const stat = statOf(this.at(path));
    if (stat?.isFile() !== true || stat.size > SHORT_BYTES) return false;
    const file = openSync(this.at(path), 'r');
    try {
      const content = Buffer.alloc(SHORT_BYTES);
      return isStandIn(content.subarray(0, readSync(file, content)));
    } finally {
      closeSync(file);
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get files(): string {
    return join(this.#folder, 'files');
  }
}

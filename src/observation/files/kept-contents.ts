import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Contents of files that are in no snapshot, by their digests. */
export class KeptContents {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The digest by which it is found again. */
  async keep(content: Buffer): Promise<string> {
    const digest = digestOf(content);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = join(this.#folder, `${randomUUID()}.new`);
    await writeFile(draft, content, { mode: 0o600 });
    await rename(draft, join(this.#folder, digest));
    return digest;
  }

  /** Undefined when it is gone, or is not what was kept. */
  async read(digest: string): Promise<Buffer | undefined> {
    if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
    const content = await readFile(join(this.#folder, digest)).catch(() => undefined);
    return content !== undefined && digestOf(content) === digest ? content : undefined;
  }
}

export function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

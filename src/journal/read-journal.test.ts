import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileChunks } from './read-journal.js';
import { CHUNK_BYTES } from './record-scanner.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-chunks-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function read(untilOffset?: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of fileChunks(path, untilOffset)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const isOpen = () =>
  readdirSync('/proc/self/fd').some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === path;
    } catch {
      return false;
    }
  });

it.each([1, CHUNK_BYTES, CHUNK_BYTES + 10, 3 * CHUNK_BYTES])(
  'a reader gets nothing of what is written behind the place where it is to end: %i bytes',
  async (untilOffset) => {
    const bytes = Buffer.alloc(4 * CHUNK_BYTES, 'abcdefg');
    writeFileSync(path, bytes);
    expect((await read(untilOffset)).equals(bytes.subarray(0, untilOffset))).toBe(true);
  },
);

it('a reader that has seen enough leaves no file open', async () => {
  writeFileSync(path, Buffer.alloc(2 * CHUNK_BYTES));
  for await (const chunk of fileChunks(path)) {
    expect([chunk.length, isOpen()]).toEqual([CHUNK_BYTES, true]);
    break;
  }
  expect(isOpen()).toBe(false);
});

it('a file that is not there is named as what cannot be opened', async () => {
  await expect(read()).rejects.toThrow(`cannot open ${path}: `);
});

it('a folder in the place of a file is named as what cannot be read', async () => {
  path = folder;
  await expect(read()).rejects.toThrow(`cannot read ${folder}`);
});

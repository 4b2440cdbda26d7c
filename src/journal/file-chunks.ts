import { type FileHandle, open } from 'node:fs/promises';
import { FileSystemError } from '../model/errors.js';
import { OPEN_TO_READ } from './disk.js';
import { CHUNK_BYTES } from './scan-file.js';

/** The bytes of a regular file, chunk by chunk. A chunk is good until the next one is asked for. */
export async function* fileChunks(
  path: string,
  untilOffset = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer, void, void> {
  const file = await openToRead(path);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = 0; ; ) {
      const bytesRead = await readInto(chunk, file, path, position, Math.min(CHUNK_BYTES, untilOffset - position));
      if (bytesRead === 0) return;
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openToRead(path: string): Promise<FileHandle> {
  try {
    return await open(path, OPEN_TO_READ);
  } catch (error) {
    throw new FileSystemError('open', path, error);
  }
}

async function readInto(
  chunk: Buffer,
  file: FileHandle,
  path: string,
  position: number,
  length: number,
): Promise<number> {
  try {
    return (await file.read(chunk, 0, length, position)).bytesRead;
  } catch (error) {
    throw new FileSystemError('read', path, error);
  }
}

import { type Disk, freeName, openNewFile, readFully, writeFully } from './disk.js';
import { CHUNK_BYTES } from './scan-file.js';

/** Copies the end of a file to a new one beside it, for people to look at, and cuts it off. */
export function saveAndCut(
  disk: Disk,
  descriptor: number,
  path: string,
  end: { readonly offset: number; readonly bytes: number },
): { readonly savedTo: string } {
  const savedTo = freeName(disk, `${path}.cut`);
  const saved = openNewFile(disk, savedTo);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let done = 0; done < end.bytes; ) {
      const count = readFully(disk, descriptor, chunk, end.offset + done);
      if (count === 0) break;
      writeFully(disk, saved, chunk.subarray(0, count), done);
      done += count;
    }
    disk.fdatasyncSync(saved);
  } finally {
    disk.closeSync(saved);
  }
  disk.ftruncateSync(descriptor, end.offset);
  disk.fdatasyncSync(descriptor);
  return { savedTo };
}

import type { RunEvent } from '../model/run-event.js';
import type { Disk } from './disk.js';
import type { RecordScanner } from './record-scanner.js';

export const CHUNK_BYTES = 256 * 1024;

/** Feeds an open file to a scanner from its offset on, chunk by chunk. */
export function scanDescriptor(
  disk: Disk,
  descriptor: number,
  scanner: RecordScanner,
  onEvent: (event: RunEvent) => void,
): void {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = scanner.offset;
  for (;;) {
    const count = disk.readSync(descriptor, chunk, 0, CHUNK_BYTES, position);
    if (count === 0) return;
    position += count;
    for (const event of scanner.feed(chunk.subarray(0, count))) onEvent(event);
  }
}

import { createHash } from 'node:crypto';
import { boxesOf, boxesText } from '../model/checklist.js';
import { messageOf } from '../model/errors.js';
import type { ProbeResult } from '../model/observation.js';
import { countBoxes } from './count-boxes.js';
import type { Harness } from './harness.js';
import { openInside } from './open-inside.js';
import { withoutFile } from './probe-file.js';

const MOST_BYTES = 4 * 1024 * 1024;

/** Counts the boxes of a list. A file that is too large, or lies elsewhere, has no answer. */
export async function probeChecklist(
  { path }: { readonly path: string },
  { workingDir }: Pick<Harness, 'workingDir'>,
): Promise<ProbeResult> {
  const opened = await openInside(workingDir, path);
  if (opened.kind !== 'open') return withoutFile(opened, path);
  const { handle } = opened;
  try {
    const buffer = Buffer.alloc(Math.min(Number(opened.stats.size), MOST_BYTES) + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      read = (await handle.read(buffer, length, buffer.length - length, length)).bytesRead;
    }
    if (length > MOST_BYTES) return { detail: `${path} is larger than 4 MB, so its boxes are not counted` };
    const bytes = buffer.subarray(0, length);
    const boxes = boxesOf(countBoxes(bytes.toString('utf8')));
    return {
      met: boxes.total > 0 && boxes.checked === boxes.total,
      detail: boxesText(boxes, path),
      version: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
      boxes,
    };
  } catch (error) {
    return { detail: `${path} cannot be read: ${messageOf(error)}` };
  } finally {
    await handle.close().catch(() => undefined);
  }
}

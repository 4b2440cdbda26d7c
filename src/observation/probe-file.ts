import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { messageOf } from '../model/errors.js';
import { showValue } from '../model/show-value.js';
import type { ProbeResult } from '../model/observation.js';
import type { Harness } from './harness.js';
import { type Located, locateInside, type Opened, openInside } from './open-inside.js';

interface FileProbe {
  readonly path: string;
  readonly content: string;
  readonly fresh?: boolean | undefined;
}

const CHUNK_BYTES = 256 * 1024;
const SEARCHED_BYTES = 64 * 1024 * 1024;

export async function probeFileCreated(
  { path, fresh }: Omit<FileProbe, 'content'>,
  { workingDir }: Harness,
): Promise<ProbeResult> {
  const located = await locateInside(workingDir, path);
  if (located.kind !== 'file') return withoutFile(located, path);
  return { met: true, detail: `${path} exists`, ...(fresh === true ? { version: writtenAt(located.stats) } : {}) };
}

/** Another one as soon as the file is written again, with whatever content. */
function writtenAt({ ino, size, mtimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs].join(' ');
}

/** Looks through the first 64 MB piece by piece; what lies behind them is not known. */
export async function probeFileContains(
  { path, content, fresh }: FileProbe,
  { workingDir, signal }: Harness,
): Promise<ProbeResult> {
  const opened = await openInside(workingDir, path);
  if (opened.kind !== 'open') return withoutFile(opened, path);
  try {
    const found = await search(opened.handle, Buffer.from(content), signal);
    if (found === 'interrupted') return { detail: `the search in ${path} was interrupted` };
    if (found === 'too-long') return { detail: `${showValue(content)} is not in the first 64 MB of ${path}` };
    const version = fresh === true ? { version: writtenAt(opened.stats) } : {};
    return {
      met: found,
      detail: `${path} ${found ? 'contains' : 'does not contain'} ${showValue(content)}`,
      ...version,
    };
  } catch (error) {
    return { detail: `${path} cannot be read: ${messageOf(error)}` };
  } finally {
    await opened.handle.close().catch(() => undefined);
  }
}

export function withoutFile(found: Exclude<Located | Opened, { kind: 'file' | 'open' }>, path: string): ProbeResult {
  switch (found.kind) {
    case 'missing':
      return { met: false, detail: `${path} does not exist` };
    case 'other':
      return { met: false, detail: `${path} is ${found.what}, not a file` };
    case 'refused':
      return { detail: found.why };
    default:
      return found satisfies never;
  }
}

/** Each piece begins with the end of the one before: the text may lie across. */
async function search(
  handle: FileHandle,
  needle: Buffer,
  signal: AbortSignal | undefined,
): Promise<boolean | 'too-long' | 'interrupted'> {
  const overlap = needle.length - 1;
  const buffer = Buffer.allocUnsafe(overlap + CHUNK_BYTES);
  let kept = 0;
  for (let position = 0; position < SEARCHED_BYTES; ) {
    if (signal?.aborted === true) return 'interrupted';
    // oxlint-disable-next-line no-await-in-loop -- one piece after the other is the point
    const { bytesRead } = await handle.read(buffer, kept, CHUNK_BYTES, position);
    if (bytesRead === 0) return false;
    const held = buffer.subarray(0, kept + bytesRead);
    if (held.includes(needle)) return true;
    position += bytesRead;
    kept = Math.min(overlap, held.length);
    held.copy(buffer, 0, held.length - kept);
  }
  return 'too-long';
}

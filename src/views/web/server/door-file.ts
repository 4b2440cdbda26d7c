import { join } from 'node:path';
import { NODE_DISK, removeFile, writeNewFile } from '../../../journal/disk.js';
import type { Environment } from '../../../journal/run-places.js';
import { PawlError } from '../../../model/errors.js';
import { findPrivateFolder } from '../../../run/control-place.js';

export interface DoorFile {
  readonly path: string;
  readonly remove: () => void;
}

/**
 * A page that no one else can read and that leads to the dashboard. What is on a command line can be seen by every user
 * of the machine, so that the address with its token must not be there.
 */
export function writeDoorFile(url: string, environment: Environment): DoorFile {
  const folder = findPrivateFolder(environment);
  if (folder === undefined) throw new PawlError('FileSystemError', 'there is no folder that only you can read');
  const path = join(folder, `dashboard-${process.pid}.html`);
  const page = `<!doctype html><meta charset="utf-8"><title>Pawl</title><meta http-equiv="refresh" content="0;url=${url}">\n`;
  removeFile(NODE_DISK, path);
  writeNewFile(NODE_DISK, path, Buffer.from(page));
  return { path, remove: () => removeFile(NODE_DISK, path) };
}

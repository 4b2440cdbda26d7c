import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { messageOf } from '../model/errors.js';
import type { Environment } from './given-overrides.js';

/** A config is written by people; what is larger is something else. */
export const LARGEST_FILE_BYTES = 1024 * 1024;
const TOO_LARGE = 'is larger than 1 MB; that is not a config';

export type ConfigFile =
  | { readonly kind: 'read'; readonly text: string; readonly ownerId: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Reads a file that may be anything: a FIFO or a device is refused before it can block, no more than the limit is read,
 * and only UTF-8 text without NUL gets through.
 */
export function readConfigFile(path: string): ConfigFile {
  if (path.includes('\0')) return refused('is not a path');
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return unopened(path, error);
  }
  try {
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) return refused('is a directory, not a file');
    if (!stats.isFile()) return refused('is not a regular file');
    if (stats.size > LARGEST_FILE_BYTES) return refused(TOO_LARGE);
    // It may grow meanwhile, and some files of the system do not tell their size.
    const bytes = readUpTo(descriptor, LARGEST_FILE_BYTES + 1);
    if (bytes.length > LARGEST_FILE_BYTES) return refused(TOO_LARGE);
    return decode(bytes, stats.uid);
  } catch (error) {
    return refused(`cannot be read: ${messageOf(error)}`);
  } finally {
    closeSync(descriptor);
  }
}

function unopened(path: string, error: unknown): ConfigFile {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EACCES' || code === 'EPERM') return refused('cannot be read: permission denied');
  if (code === 'ENXIO') return refused('is not a regular file');
  if (code === 'ENOTDIR') return { kind: 'missing' };
  if (code === 'ELOOP') return refused('is a link that leads back to itself');
  if (code === 'ENAMETOOLONG') return refused('is not a path: the name is too long');
  if (code !== 'ENOENT') return refused(`cannot be read: ${messageOf(error)}`);
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? refused('is a link to a file that is not there')
    : { kind: 'missing' };
}

function readUpTo(descriptor: number, limitBytes: number): Buffer {
  const buffer = Buffer.alloc(limitBytes);
  let length = 0;
  while (length < limitBytes) {
    const count = readSync(descriptor, buffer, length, limitBytes - length, null);
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

function decode(bytes: Buffer, ownerId: number): ConfigFile {
  if (bytes.includes(0)) return refused(`holds a NUL byte at byte ${bytes.indexOf(0)}; a config is UTF-8 text`);
  try {
    return { kind: 'read', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), ownerId };
  } catch {
    return refused('is not valid UTF-8 text');
  }
}

function refused(message: string): ConfigFile {
  return { kind: 'refused', message };
}

/** `$XDG_CONFIG_HOME/pawl/config.yaml`; a relative XDG path is no path, says its specification. */
export function userFilePath(env: Environment): string | undefined {
  const xdg = env['XDG_CONFIG_HOME'];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'pawl', 'config.yaml');
  const home = env['HOME'] ?? homeDirectory();
  return home === undefined || !isAbsolute(home) ? undefined : join(home, '.config', 'pawl', 'config.yaml');
}

function homeDirectory(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { KeptFile } from '../model/run-event.js';
import type { Json } from '../model/json.js';
import type { OutputPlace } from './raw-output.js';

/** A longer message is in a file of its own. */
const INLINE_BYTES = 1024 * 1024;

/** A message as it is recorded: whole, or as the file that it is in, which is on disk for certain. Never throws. */
export function keepMessage(
  place: OutputPlace,
  name: string,
  message: Json,
  redact: (text: string) => string,
): { readonly message: Json } | { readonly file: KeptFile } {
  const text = JSON.stringify(message);
  // A character has three bytes at most.
  if (text.length * 3 <= INLINE_BYTES || Buffer.byteLength(text) <= INLINE_BYTES) return { message };
  try {
    const safeName = `message-${name.replace(/[^\w.-]/g, '_')}.json`;
    return { file: keepFile(place, safeName, JSON.stringify(redacted(message, redact))) };
  } catch {
    // The journal takes it, or says why nothing can be recorded.
    return { message };
  }
}

function keepFile({ folder, secondFolder }: OutputPlace, name: string, text: string): KeptFile {
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const descriptor = openSync(path, 'w', 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  for (const each of [folder, dirname(folder)]) syncFolder(each);
  if (secondFolder !== undefined) linkQuietly(path, join(secondFolder, name));
  const below = join(basename(dirname(folder)), basename(folder), name);
  return { path: below, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function linkQuietly(path: string, second: string): void {
  try {
    mkdirSync(dirname(second), { recursive: true, mode: 0o700 });
    linkSync(path, second);
  } catch {
    // Another file system, or no right to: the first name remains.
  }
}

/** Text by text: in a whole that is serialised, a secret may be written in another way. */
function redacted(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((entry) => redacted(entry, redact));
  const entries = Object.entries(value).map(([key, entry]) => [
    key,
    entry === undefined ? undefined : redacted(entry, redact),
  ]);
  return Object.fromEntries(entries) as Json;
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, writeSync, fsyncSync, writeFileSync } from 'node:fs';
import { dirname, join, basename } from 'node:path';
import type { Json } from '../model/json.js';
import type { KeptFile } from '../model/run-event.js';
import { TailRing } from '../process/tail-ring.js';

/** Of each stream this much is kept from its beginning, and the tail below from its end. */
const HEAD_BYTES = 16 * 1024 * 1024;
const TAIL_BYTES = 256 * 1024;
const BUFFER_CHARACTERS = 64 * 1024;

/** Takes secrets out of text that comes in pieces. */
interface RedactingStream {
  write(piece: string): string;
  end(): string;
}

/** Where the raw output of one iteration is kept. */
export interface OutputPlace {
  readonly folder: string;
  readonly redact: () => RedactingStream;
}

/** One stream of an agent's output, on disk: its beginning and its end, without secrets. Never throws: it is a copy. */
interface RawOutput {
  write(line: string, omittedBytes: number): void;
  end(): void;
}

export function createRawOutput(place: OutputPlace, name: string): RawOutput {
  const redacting = place.redact();
  let descriptor: number | undefined;
  let failed = false;
  let waiting = '';
  let keptBytes = 0;
  let tail: TailRing | undefined;

  const put = (text: string): void => {
    if (failed || text === '') return;
    try {
      descriptor ??= openKept(place, name);
      writeSync(descriptor, text);
    } catch {
      failed = true;
    }
  };
  const flush = (): void => {
    if (keptBytes < HEAD_BYTES) {
      keptBytes += Buffer.byteLength(waiting);
      put(redacting.write(waiting));
    } else {
      tail ??= new TailRing(TAIL_BYTES);
      tail.write(waiting);
    }
    waiting = '';
  };

  return {
    write(line, omittedBytes) {
      const text = omittedBytes > 0 ? `${line}[${omittedBytes} bytes of this line left out]\n` : `${line}\n`;
      waiting += text;
      if (waiting.length >= BUFFER_CHARACTERS) flush();
    },
    end() {
      flush();
      const omittedBytes = Math.max(0, (tail?.totalBytes ?? 0) - TAIL_BYTES);
      if (omittedBytes > 0) put(redacting.write(`\n[${omittedBytes} bytes left out]\n`));
      if (tail !== undefined) put(redacting.write(tail.toString()));
      put(redacting.end());
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
      tail = undefined;
    },
  };
}

/** Keeps a short text, such as the prompt, in the same way. */
export function keepText(place: OutputPlace, name: string, text: string): void {
  const output = createRawOutput(place, name);
  output.write(text, 0);
  output.end();
}

function openKept({ folder }: OutputPlace, name: string): number {
  makeFolder(folder);
  return openSync(join(folder, name), 'wx', 0o600);
}

/** Below the run folder only: a working directory that the agent has removed is not made again. */
function makeFolder(folder: string): void {
  // To look is quicker than to be refused.
  if (existsSync(folder)) return;
  for (const each of [dirname(folder), folder]) {
    try {
      mkdirSync(each, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

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

function keepFile({ folder }: OutputPlace, name: string, text: string): KeptFile {
  const path = join(folder, name);
  makeFolder(folder);
  const descriptor = openSync(path, 'w', 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  for (const each of [folder, dirname(folder)]) syncFolder(each);
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

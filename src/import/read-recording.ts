import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Fields, jsonObject } from '../agents/agent-events.js';
import { isAtif, readAtif } from './formats/atif.js';
import { CLAUDE_READER, isClaudeLine } from './formats/claude-code.js';
import { codexReader, isCodexLine } from './formats/codex.js';
import { isMiniSweAgent, isSweAgent, readMiniSweAgent, readSweAgent } from './formats/swe-agent.js';
import type { RecordingReader, SessionPart } from './session-part.js';

/** What a recording cannot be read for, as the end of a sentence about its file. */
export class RecordingRefused extends Error {}

/** A document is in memory as a whole, and so is a line. */
const MOST_BYTES = 64 * 1024 * 1024;
/** A small file can unpack to any size. */
const MOST_UNPACKED_BYTES = 4 * 1024 * 1024 * 1024;
/** Lines at the beginning that may be of no known type. */
const MOST_UNKNOWN_LINES = 20;

interface LineFormat {
  readonly source: string;
  readonly isLine: (fields: Fields) => boolean;
  readonly reader: () => RecordingReader;
}

interface DocumentFormat {
  readonly source: string;
  readonly isDocument: (document: Fields) => boolean;
  readonly read: (document: Fields) => Iterable<SessionPart>;
}

const OF_LINES: readonly LineFormat[] = [
  { source: 'Claude Code', isLine: isClaudeLine, reader: () => CLAUDE_READER },
  { source: 'Codex', isLine: isCodexLine, reader: codexReader },
];
const OF_DOCUMENTS: readonly DocumentFormat[] = [
  { source: 'ATIF', isDocument: isAtif, read: readAtif },
  { source: 'mini-swe-agent', isDocument: isMiniSweAgent, read: readMiniSweAgent },
  { source: 'SWE-agent', isDocument: isSweAgent, read: readSweAgent },
];

/** Names of files that can be recordings. */
const ENDINGS = /\.(?:jsonl|json|traj|log|txt)(?:\.gz)?$/i;

export function mayBeRecording(path: string): boolean {
  return ENDINGS.test(path);
}

/** The name of a run: that of its file, without its endings. */
export function nameOfRecording(path: string): string {
  return basename(path).replace(/(?:\.(?:gz|jsonl|json|traj|trajectory|log|txt))+$/i, '');
}

/** A recording whose format is known. */
export interface Recording {
  readonly source: string;
  readonly parts: AsyncIterable<SessionPart>;
}

/** Recognises a recording by its content. Throws RecordingRefused. Nothing of it is executed, and nothing written. */
export async function openRecording(path: string): Promise<Recording> {
  const lines = linesOf(path);
  const held: string[] = [];
  let format: LineFormat | undefined;
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    const fields = jsonObject(next.value);
    held.push(next.value);
    format = fields === undefined ? undefined : OF_LINES.find(({ isLine }) => isLine(fields));
    if (format !== undefined) return { source: format.source, parts: partsOf(format.reader(), held, lines) };
    // A document has its objects over many lines, or is one line.
    if (fields === undefined && /^\s*[{[]/.test(held[0] ?? '')) break;
    if (held.length >= MOST_UNKNOWN_LINES) throw new RecordingRefused('its format is not known');
  }
  return openDocument(held, lines);
}

async function openDocument(held: string[], rest: AsyncIterator<string>): Promise<Recording> {
  let characters = held.reduce((sum, line) => sum + line.length, 0);
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    characters += next.value.length + 1;
    if (characters > MOST_BYTES) throw new RecordingRefused(`it is larger than ${MOST_BYTES / 1024 / 1024} MB`);
    held.push(next.value);
  }
  if (held.every((line) => line.trim() === '')) throw new RecordingRefused('it is empty');
  const document = jsonObject(held.join('\n'));
  if (document === undefined) throw new RecordingRefused('it is neither JSON nor lines of JSON');
  const format = OF_DOCUMENTS.find(({ isDocument }) => isDocument(document));
  if (format === undefined) throw new RecordingRefused('its format is not known');
  return { source: format.source, parts: asynchronous(format.read(document)) };
}

// oxlint-disable-next-line require-await -- the same type as a recording that is read while it is recorded
async function* asynchronous(parts: Iterable<SessionPart>): AsyncGenerator<SessionPart> {
  yield* parts;
}

async function* partsOf(
  reader: RecordingReader,
  held: readonly string[],
  rest: AsyncIterable<string>,
): AsyncGenerator<SessionPart> {
  for (const line of held) yield* reader.read(line);
  for await (const line of rest) yield* reader.read(line);
}

/** The lines of a file, unpacked where it is packed. The last one may be unfinished: a session may be under way. */
async function* linesOf(path: string): AsyncGenerator<string, void> {
  const file = createReadStream(path);
  const input: Readable = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  file.on('error', (error) => input.destroy(error));
  let total = 0;
  let pieces: Buffer[] = [];
  let bytes = 0;
  const take = (): string => {
    const line = Buffer.concat(pieces).toString('utf8');
    pieces = [];
    bytes = 0;
    return line;
  };
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > MOST_UNPACKED_BYTES) throw new RecordingRefused('it unpacks to more than 4 GB');
      let from = 0;
      for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
        pieces.push(chunk.subarray(from, end));
        from = end + 1;
        yield take();
      }
      pieces.push(chunk.subarray(from));
      bytes += chunk.length - from;
      if (bytes > MOST_BYTES) throw new RecordingRefused(`a line of it is longer than ${MOST_BYTES / 1024 / 1024} MB`);
    }
    if (bytes > 0) yield take();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') === true)
      throw new RecordingRefused('it is not a whole gzip file');
    throw error;
  } finally {
    file.destroy();
    input.destroy();
  }
}

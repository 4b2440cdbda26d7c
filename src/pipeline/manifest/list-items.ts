import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, resolve } from 'node:path';
import { ConfigError, type Issue, messageOf } from '../../model/errors.js';
import { clip } from '../../model/show-value.js';
import { systemErrorWords } from '../../model/system-error-words.js';
import type { Harness } from '../../observation/harness.js';
import { matchingFiles } from '../../observation/matching-files.js';
import type { Item } from '../item.js';
import { entriesOf, fieldsOf, ITEM_FILE_KINDS, type ItemFileKind, lineEntries } from './item-entries.js';
import { LARGEST_LIST_BYTES, MOST_ITEMS, TOO_MANY_ITEMS } from '../item-limits.js';
import type { ItemSource } from './item-source.js';
import { isUtf8 } from 'node:buffer';
import { runCommand } from '../../observation/run-command.js';
import { outerEnvironment } from '../outer-environment.js';

/** An item goes to its generator in the environment, of which one value may have 128 KB. */
const LARGEST_ITEM_BYTES = 96 * 1024;
const MOST_ISSUES = 100;

/** The items of a pipeline, in order. Throws ConfigError when there are none, or one is not an item. */
export async function listItems(source: ItemSource, harness: Harness): Promise<readonly Item[]> {
  const entries = await entriesFrom(source, harness);
  if (entries.length === 0) throw refused(source.place, `there is no item: ${emptyText(source)}`);
  if (entries.length > MOST_ITEMS) throw refused(source.place, TOO_MANY_ITEMS);
  const issues: Issue[] = [];
  const seen = new Map<string, string>();
  const items: Item[] = [];
  for (const { value, place } of entries) {
    if (issues.length >= MOST_ISSUES) break;
    const item = itemOf(value, place, source.id, issues);
    if (item === undefined) continue;
    const first = seen.get(item.id);
    if (first === undefined) seen.set(item.id, place);
    else issues.push({ path: 'items', place, message: `the id ${quoted(item.id)} appears twice; first at ${first}` });
    items.push(item);
  }
  if (issues.length > 0) throw new ConfigError(issues);
  return items;
}

interface PlacedEntry {
  readonly value: unknown;
  readonly place: string;
}

async function entriesFrom(source: ItemSource, harness: Harness): Promise<readonly PlacedEntry[]> {
  switch (source.kind) {
    case 'list':
      return source.entries;
    case 'glob':
      return globEntries(source, harness.workingDir);
    case 'file':
      return fileEntries(source, harness.workingDir);
    case 'command':
      return commandEntries(source, harness);
    default:
      return source satisfies never;
  }
}

async function globEntries(
  { pattern, place }: Extract<ItemSource, { kind: 'glob' }>,
  workingDir: string,
): Promise<readonly PlacedEntry[]> {
  if (isAbsolute(pattern)) throw refused(place, `the glob ${quoted(pattern)} must be relative to ${clip(workingDir)}`);
  const paths = await matchingFiles(workingDir, pattern);
  if (paths === undefined) throw refused(place, 'there are too many files to search; name a folder in the glob');
  return paths
    .filter((path) => statSync(resolve(workingDir, path), { throwIfNoEntry: false })?.isFile() === true)
    .filter((path) => !path.startsWith('.ralph/'))
    .map((path) => {
      const ext = extname(path);
      const fields = { id: path, path, name: basename(path), stem: basename(path, ext), ext, dir: dirname(path) };
      return { value: fields, place: clip(path) };
    });
}

function fileEntries(
  { path, place }: Extract<ItemSource, { kind: 'file' }>,
  workingDir: string,
): readonly PlacedEntry[] {
  const kind = extname(path).slice(1).toLowerCase();
  if (!ITEM_FILE_KINDS.includes(kind as ItemFileKind)) {
    throw refused(place, `a file of items ends in .${ITEM_FILE_KINDS.join(', .')}`);
  }
  const file = resolve(workingDir, path);
  try {
    const stats = statSync(file);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > LARGEST_LIST_BYTES) throw new Error('it is larger than 256 MB');
    const entries = entriesOf(kind as ItemFileKind, decodeItems(readFileSync(file)));
    const shown = clip(path);
    return entries.map(({ value, at }) => ({ value, place: `${shown}${at}` }));
  } catch (error) {
    const tried = isAbsolute(path) ? '' : ` (${file})`;
    throw refused(place, `${clip(path)}: ${systemErrorWords(messageOf(error))}${tried}`);
  }
}

async function commandEntries(
  { command, timeoutMs, place }: Extract<ItemSource, { kind: 'command' }>,
  harness: Harness,
): Promise<readonly PlacedEntry[]> {
  const lines = await listedLines(command, timeoutMs, harness).catch((error: unknown) => {
    throw refused(place, messageOf(error));
  });
  try {
    return lineEntries(lines).map(({ value, at }) => ({ value, place: `items.command${at}` }));
  } catch (error) {
    throw refused(place, `what the command prints: ${messageOf(error)}`);
  }
}

function itemOf(value: unknown, place: string, idKey: string, issues: Issue[]): Item | undefined {
  const read = fieldsOf(value, idKey);
  if ('problem' in read) {
    issues.push({ path: 'items', place, message: read.problem });
    return undefined;
  }
  const { id, fields } = read;
  if (Buffer.byteLength(JSON.stringify(fields)) > LARGEST_ITEM_BYTES) {
    issues.push({ path: 'items', place, message: `an item may have ${LARGEST_ITEM_BYTES / 1024} KB` });
    return undefined;
  }
  return { id, fields, place };
}

function emptyText(source: ItemSource): string {
  if (source.kind === 'glob') return `no file matches ${quoted(source.pattern)}`;
  if (source.kind === 'file') return `${clip(source.path)} has none`;
  return source.kind === 'command' ? 'the command prints none' : 'the list is empty';
}

function quoted(text: string): string {
  return clip(JSON.stringify(text));
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: 'items', place, message }]);
}

/** The text of a file of items. Throws with the line of what is no text: an id must not be another one than was written. */
export function decodeItems(bytes: Buffer): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new Error('is UTF-16 text; save it as UTF-8');
  }
  if (!isUtf8(bytes)) throw new Error(`line ${badLine(bytes)}: is not valid UTF-8 text`);
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function badLine(bytes: Buffer): number {
  let line = 1;
  let from = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, from)) {
    if (!isUtf8(bytes.subarray(from, at))) return line;
    line += 1;
    from = at + 1;
  }
  return line;
}

/** What a command that lists items prints. It is ended as soon as that is too much. Throws with what is wrong with it. */
async function listedLines(command: string, timeoutMs: number, harness: Harness): Promise<readonly string[]> {
  const lines: string[] = [];
  const enough = new AbortController();
  let tooMuch: string | undefined;
  let items = 0;
  let characters = 0;
  const onLine = (text: string, from: 'stdout' | 'stderr') => {
    if (from === 'stderr' || tooMuch !== undefined) return;
    lines.push(text);
    items += text.trim() === '' ? 0 : 1;
    characters += text.length + 1;
    if (items > MOST_ITEMS) tooMuch = TOO_MANY_ITEMS;
    else if (characters > LARGEST_LIST_BYTES) tooMuch = 'the command that lists the items printed more than 256 MB';
    if (tooMuch !== undefined) enough.abort();
  };
  const signal = AbortSignal.any([enough.signal, ...(harness.signal === undefined ? [] : [harness.signal])]);
  const environment = outerEnvironment(harness.environment);
  const outcome = await runCommand({ shell: command }, { timeoutMs, onLine }, { ...harness, environment, signal });
  if (tooMuch !== undefined) throw new Error(tooMuch);
  const { exitCode, timedOut, notStarted, output, signal: ended } = outcome;
  if (exitCode !== 0) {
    const why = timedOut ? 'did not end in time' : (notStarted ?? `exits with ${exitCode ?? ended ?? 'nothing'}`);
    const last = output.trim().split('\n').at(-1) ?? '';
    throw new Error(`the command that lists the items ${why}${last === '' ? '' : `: ${clip(last)}`}`);
  }
  // What could not be read as text was replaced by this.
  const damaged = lines.findIndex((line) => line.includes('\ufffd'));
  if (damaged >= 0) throw new Error(`what the command prints: line ${damaged + 1}: is not valid UTF-8 text`);
  return lines;
}

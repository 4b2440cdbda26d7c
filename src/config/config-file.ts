import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, join, basename, dirname, sep } from 'node:path';
import { messageOf, type Issue } from '../model/errors.js';
import type { Environment } from './override-table.js';
import { isConditionType } from '../model/condition-catalog.js';

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
  if (code === 'ELOOP') return refused('is a link to itself');
  if (code === 'ENAMETOOLONG') return refused('is not a path: the name is too long');
  if (code !== 'ENOENT') return refused(`cannot be read: ${messageOf(error)}`);
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? refused('is a link to a missing file')
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
  if (bytes.includes(0)) return refused(`contains a NUL at byte ${bytes.indexOf(0)}; a config is UTF-8 text`);
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

/** A value of a config file and where in the text it stands; the same for YAML and JSON. */
export type SourceNode = {
  readonly offset: number;
  /** Where an alias stands that means it. */
  readonly aliasOffset?: number;
} & (
  | { readonly kind: 'scalar'; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly SourceNode[] }
  | { readonly kind: 'mapping'; readonly entries: readonly SourceEntry[] }
);

export interface SourceEntry {
  readonly key: string;
  readonly keyOffset: number;
  readonly value: SourceNode;
}

/** What stopped the text from being understood. */
export interface SourceProblem {
  readonly offset: number;
  readonly message: string;
}

export type SourceResult = { readonly root: SourceNode | undefined } | { readonly problems: readonly SourceProblem[] };

export const DEEPEST_NESTING = 80;
export const MOST_VALUES = 20_000;

export const TOO_DEEP = `is nested more than ${DEEPEST_NESTING} deep`;
export const TOO_MANY = `contains more than ${MOST_VALUES} values`;

/** The value without the places. Keys are own properties whatever they are called. */
export function plainValue(node: SourceNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(plainValue);
    case 'mapping':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
    default:
      return node satisfies never;
  }
}

/** A key written twice in one mapping, at its second place; `seen` is that mapping's own. */
export function duplicateKey(seen: Set<string>, key: string): string | undefined {
  if (seen.has(key)) return `the key ${JSON.stringify(key.slice(0, 60))} is written twice`;
  seen.add(key);
  return undefined;
}

/** In the order in which they are in the file. */
export function inOrder(issues: readonly Issue[], root: SourceNode | undefined): readonly Issue[] {
  if (root === undefined) return issues;
  const placed = issues.map((issue) => ({ issue, offset: offsetOf(root, issue) }));
  return placed.toSorted((a, b) => a.offset - b.offset).map(({ issue }) => issue);
}

/** Where an issue's value stands, or its key when that is what is wrong; else the nearest thing around it. */
export function offsetOf(root: SourceNode, issue: Issue): number {
  let node = root;
  let keyOffset: number | undefined;
  const steps = stepsOf(issue.path);
  for (const [index, step] of steps.entries()) {
    const found = stepInto(node, step);
    if (found === undefined) return placeOf(node);
    node = found.value;
    keyOffset = index === steps.length - 1 ? found.keyOffset : undefined;
  }
  return issue.unknownKey === true ? (keyOffset ?? placeOf(node)) : placeOf(node);
}

function placeOf({ offset, aliasOffset }: SourceNode): number {
  return aliasOffset ?? offset;
}

interface Step {
  readonly value: SourceNode;
  readonly keyOffset?: number;
}

function stepInto(node: SourceNode, step: string | number): Step | undefined {
  if (typeof step === 'number') {
    const item = node.kind === 'list' ? node.items[step] : undefined;
    return item === undefined ? undefined : { value: item };
  }
  if (node.kind !== 'mapping') return undefined;
  return entriesByKey(node).get(step) ?? shorthandStep(node.entries, step);
}

const indexes = new WeakMap<SourceNode, ReadonlyMap<string, SourceEntry>>();

/** Kept per mapping: every value of a config asks for its place. */
function entriesByKey(node: Extract<SourceNode, { kind: 'mapping' }>): ReadonlyMap<string, SourceEntry> {
  let index = indexes.get(node);
  if (index === undefined) {
    index = new Map(node.entries.map((entry) => [entry.key, entry]));
    indexes.set(node, index);
  }
  return index;
}

/** `limits[0].count` of `- max_iterations: 3` stands at the 3, that of `- max_iterations: { count: 3 }` one deeper. */
function shorthandStep(entries: readonly SourceEntry[], step: string): Step | undefined {
  const named = entries.find(({ key }) => isConditionType(key));
  if (named === undefined) return undefined;
  if (named.value.kind === 'mapping') {
    const inner = named.value.entries.find(({ key }) => key === step);
    if (inner !== undefined) return inner;
  }
  return { value: named.value };
}

/** The steps of a path, as text and as list positions. */
function stepsOf(path: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, key, index, quoted] of path.matchAll(/([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(JSON.parse(quoted) as string);
    else if (key !== undefined) steps.push(key);
  }
  return steps;
}

/** Turns offsets of a text into `line:column`, both from 1. */
export function textPlaces(text: string): (offset: number) => string {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return `${low + 1}:${offset - (lineStarts[low] ?? 0) + 1}`;
  };
}

/** Where a path leads to after all links; of what is not there yet, where it would be. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPlace(dirname(path)), basename(path));
  }
}

/** Where a path leads to after all links, if that is outside a folder. */
export function placeOutside(path: string, folder: string): string | undefined {
  return isInside(path, folder) ? undefined : realPlace(path);
}

/** Whether a path, after all links, lies in a folder or is it. */
export function isInside(path: string, folder: string): boolean {
  const top = realPlace(folder);
  const place = realPlace(path);
  return place === top || place.startsWith(top.endsWith(sep) ? top : `${top}${sep}`);
}

import { isConditionType } from '../model/condition-catalog.js';
import type { Issue } from '../model/errors.js';
import { clip } from '../model/field-rules.js';

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
export const TOO_MANY = `holds more than ${MOST_VALUES} values`;

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

/** `stop` + `limits` is `stop.limits`; a key that would not read well there is quoted: `checks["a b"]`. */
export function keyPath(parent: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${parent}[${JSON.stringify(clip(key))}]`;
  return parent === '' ? key : `${parent}.${key}`;
}

export function itemPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
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

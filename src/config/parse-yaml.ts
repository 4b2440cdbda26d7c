import { extname } from 'node:path';
import { type Document, isAlias, isMap, isScalar, isSeq, Lexer, type Node, type Pair, parseDocument } from 'yaml';
import {
  DEEPEST_NESTING,
  duplicateKey,
  MOST_VALUES,
  type SourceEntry,
  type SourceNode,
  type SourceProblem,
  type SourceResult,
  TOO_DEEP,
  TOO_MANY,
} from './config-file.js';
import { readStrictJson } from './strict-json.js';

/** The text of a file as its name says: JSON where it ends with `.json`, else YAML. */
export function parseSource(text: string, name: string): SourceResult {
  if (extname(name).toLowerCase() !== '.json' || text.trim() === '') return parseYaml(text);
  const read = readStrictJson(text);
  // Every JSON is YAML, which tells the places.
  return 'problem' in read ? { problems: [read.problem] } : parseYaml(text);
}

/** More than a config of the largest size needs; the parser is linear, but takes seconds for a megabyte of brackets. */
const MOST_TOKENS = 200_000;

/**
 * Reads one YAML 1.2 document, core schema: no tags, no merge keys, no 1.1 spellings. Aliases are followed and count
 * every time, so a bomb of them ends at the limit of values. Duplicate keys are found here because the parser's own
 * search is quadratic.
 */
export function parseYaml(text: string): SourceResult {
  let tokens = 0;
  for (const _token of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > MOST_TOKENS) return { problems: [{ offset: 0, message: 'is too long to be a config' }] };
  }
  const document = documentOf(text);
  if (document === undefined) return { problems: [{ offset: 0, message: TOO_DEEP }] };
  const problems = syntaxProblems(document);
  if (problems.length > 0) return { problems };
  if (document.contents === null) return { root: undefined };
  return convert(document.contents);
}

/** Undefined when it is nested deeper than the parser, which calls itself for each level, can follow. */
function documentOf(text: string): Document.Parsed | undefined {
  try {
    return parseDocument(text, {
      schema: 'core',
      version: '1.2',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function syntaxProblems(document: Document.Parsed): SourceProblem[] {
  const problems = [...document.errors, ...document.warnings].slice(0, 10).map((error) => ({
    offset: error.pos[0],
    message: YAML_MESSAGES[error.code] ?? `is not valid YAML: ${error.message}`,
  }));
  const { yaml } = document.directives;
  if (yaml.explicit === true && yaml.version !== '1.2') {
    problems.push({ offset: 0, message: `says it is YAML ${yaml.version}; only 1.2 is read` });
  }
  return problems;
}

const YAML_MESSAGES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'contains several documents; only one is allowed',
  RESOURCE_EXHAUSTION: TOO_DEEP,
  TAG_RESOLVE_FAILED: 'has a tag; tags are not allowed',
};

interface Conversion {
  readonly problems: SourceProblem[];
  readonly anchors: Map<string, Node>;
  values: number;
}

function convert(contents: Node): SourceResult {
  const conversion: Conversion = { problems: [], anchors: new Map(), values: 0 };
  const root = convertNode(contents, 1, 0, conversion);
  return conversion.problems.length > 0 ? { problems: conversion.problems } : { root };
}

const NOTHING = (offset: number): SourceNode => ({ kind: 'scalar', offset, value: null });

function convertNode(node: Node | null, depth: number, around: number, conversion: Conversion): SourceNode {
  const offset = node?.range?.[0] ?? around;
  if (node === null || isOver(depth, offset, conversion)) return NOTHING(offset);
  const refuse = (message: string): SourceNode => {
    conversion.problems.push({ offset, message });
    return NOTHING(offset);
  };
  if (isAlias(node)) {
    const target = conversion.anchors.get(node.source);
    if (target === undefined) return refuse(`*${node.source} names no anchor before it`);
    return { ...convertNode(target, depth + 1, offset, conversion), aliasOffset: offset };
  }
  if (node.tag !== undefined) return refuse('has a tag; tags are not allowed');
  const { anchor } = node;
  if (anchor !== undefined) conversion.anchors.set(anchor, node);
  if (isSeq(node)) {
    return {
      kind: 'list',
      offset,
      items: eachOf(node.items, (item) => convertItem(item, depth, offset, conversion), conversion),
    };
  }
  if (isMap(node)) return { kind: 'mapping', offset, entries: convertEntries(node.items, depth, offset, conversion) };
  if (!isScalar(node)) return refuse('is not a value');
  const { value } = node;
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return { kind: 'scalar', offset, value };
  }
  return refuse('is not a text, a number, true, false or nothing');
}

function convertItem(item: unknown, depth: number, offset: number, conversion: Conversion): SourceNode {
  return convertNode(item as Node | null, depth + 1, offset, conversion);
}

function isOver(depth: number, offset: number, conversion: Conversion): boolean {
  conversion.values += 1;
  if (conversion.problems.length > 0 && conversion.values > MOST_VALUES) return true;
  if (conversion.values > MOST_VALUES) conversion.problems.push({ offset, message: TOO_MANY });
  else if (depth > DEEPEST_NESTING) conversion.problems.push({ offset, message: TOO_DEEP });
  else return false;
  return true;
}

function convertEntries(pairs: readonly Pair[], depth: number, offset: number, conversion: Conversion): SourceEntry[] {
  const seen = new Set<string>();
  return eachOf(
    pairs,
    (pair) => {
      const key = pair.key as Node | null;
      const keyOffset = key?.range?.[0] ?? offset;
      const problem = keyProblem(key, seen);
      if (problem !== undefined) conversion.problems.push({ offset: keyOffset, message: problem });
      const name = isScalar(key) ? String(key.value) : '';
      return { key: name, keyOffset, value: convertNode(pair.value as Node | null, depth + 1, keyOffset, conversion) };
    },
    conversion,
  );
}

function keyProblem(key: Node | null, seen: Set<string>): string | undefined {
  if (!isScalar(key) || typeof key.value !== 'string') return 'keys are texts; put quotes around this one';
  if (key.tag !== undefined) return 'has a tag; tags are not allowed';
  if (key.value === '<<') return 'merge keys (<<) are not part of YAML 1.2; write the keys out';
  return duplicateKey(seen, key.value);
}

/** Stops early once nothing more would be used. */
function eachOf<T, U>(items: readonly T[], convertOne: (item: T) => U, conversion: Conversion): U[] {
  const results: U[] = [];
  for (const item of items) {
    if (conversion.problems.length >= 10 || conversion.values > MOST_VALUES) break;
    results.push(convertOne(item));
  }
  return results;
}

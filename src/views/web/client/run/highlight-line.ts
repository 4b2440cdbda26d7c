import { refractor } from 'refractor/core';
import bash from 'refractor/bash';
import c from 'refractor/c';
import css from 'refractor/css';
import go from 'refractor/go';
import java from 'refractor/java';
import json from 'refractor/json';
import markdown from 'refractor/markdown';
import python from 'refractor/python';
import rust from 'refractor/rust';
import sql from 'refractor/sql';
import tsx from 'refractor/tsx';
import yaml from 'refractor/yaml';
import type { Token } from './line-pieces.js';

for (const language of [bash, c, css, go, java, json, markdown, python, rust, sql, tsx, yaml]) {
  refractor.register(language);
}

/** Each language with the endings of its files. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  javascript: ['js', 'mjs', 'cjs'],
  jsx: ['jsx'],
  typescript: ['ts', 'mts', 'cts'],
  tsx: ['tsx'],
  json: ['json'],
  css: ['css'],
  markup: ['html', 'xml', 'svg'],
  markdown: ['md'],
  python: ['py'],
  go: ['go'],
  rust: ['rs'],
  java: ['java'],
  c: ['c', 'h'],
  sql: ['sql'],
  yaml: ['yaml', 'yml'],
  bash: ['sh', 'bash'],
};

const LANGUAGES = new Map(Object.entries(ENDINGS).flatMap(([name, endings]) => endings.map((end) => [end, name])));

/** Longer lines take long, and no one wrote them. */
const MOST_CHARACTERS = 500;

type Nodes = ReturnType<typeof refractor.highlight>['children'];

/** The tokens of a line of a file; none where its language is not known. Each line is read for itself. */
export function tokensOf(path: string, text: string): readonly Token[] {
  const language = LANGUAGES.get(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '');
  if (language === undefined || text.length > MOST_CHARACTERS) return [];
  const tokens: Token[] = [];
  walk(refractor.highlight(text, language).children, undefined, 0, tokens);
  return tokens;
}

/** Returns where the nodes end. */
function walk(nodes: Nodes, type: string | undefined, from: number, tokens: Token[]): number {
  let at = from;
  for (const node of nodes) {
    if (node.type === 'element') at = walk(node.children, typeOf(node.properties['className']) ?? type, at, tokens);
    else if (node.type === 'text') {
      const end = at + node.value.length;
      if (type !== undefined) tokens.push({ start: at, end, type });
      at = end;
    }
  }
  return at;
}

function typeOf(names: unknown): string | undefined {
  const name: unknown = Array.isArray(names) ? names[1] : undefined;
  return typeof name === 'string' && /^[a-z-]+$/.test(name) ? name : undefined;
}

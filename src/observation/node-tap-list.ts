import type { TestDetail } from '../model/test-results.js';
import { testDetail } from './parsed-tests.js';
import { nestedName } from './test-tree.js';

const OUTCOME = /^( *)(not ok|ok) \d+ - (.*)$/;
const DIRECTIVE = /(?<!\\) # (?:skip|todo)\b.*$/i;

/**
 * Every test in the TAP of node:test, those with subtests as well: its summary counts them, unlike suites, whose diagnostics
 * have a type.
 */
export function nodeTapList(lines: readonly string[]): readonly TestDetail[] {
  const above: { readonly indent: number; readonly path: string }[] = [];
  const details: TestDetail[] = [];
  for (const [index, line] of lines.entries()) {
    const [, space, begun] = /^( *)# Subtest: (.*)$/.exec(line) ?? [];
    const [, indent, outcome, rest = ''] = OUTCOME.exec(line) ?? [];
    const depth = (space ?? indent)?.length;
    if (depth === undefined) continue;
    while ((above.at(-1)?.indent ?? -1) >= depth) above.pop();
    const name = unescaped((begun ?? rest).replace(DIRECTIVE, ''));
    const path = nestedName(above.at(-1)?.path, name);
    if (begun !== undefined) above.push({ indent: depth, path });
    else if (!isSuite(lines, index, depth)) details.push(detailOf(path, outcome === 'ok', DIRECTIVE.test(rest)));
  }
  return details;
}

function detailOf(name: string, isOk: boolean, isDirected: boolean): TestDetail {
  if (isDirected) return testDetail(name, 'skipped');
  return isOk ? testDetail(name, 'passed') : fileOr(testDetail(name, 'failed'));
}

/** A file that fails as a whole has its path for a name. */
export function fileOr(detail: TestDetail): TestDetail {
  return /^\S*\.[cm]?[jt]sx?$/.test(detail.name) ? { ...detail, isSuite: true } : detail;
}

/** By the diagnostics below its outcome. */
function isSuite(lines: readonly string[], index: number, depth: number): boolean {
  const margin = ' '.repeat(depth + 2);
  if (lines[index + 1] !== `${margin}---`) return false;
  const first = lines.slice(index + 2, index + 6);
  const end = first.indexOf(`${margin}...`);
  return first.slice(0, end === -1 ? undefined : end).includes(`${margin}type: 'suite'`);
}

function unescaped(name: string): string {
  return name.replaceAll(/\\([#\\])/g, '$1');
}

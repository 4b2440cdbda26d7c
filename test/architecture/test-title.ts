import ts from 'typescript';
import { isTest, type SourceFile, sourcesIn, visit } from './source-file.js';

export interface TestTitle {
  readonly title: string;
  readonly path: string;
  /** It stands under .skip or .todo, or runs only if something holds. */
  readonly isSkipped: boolean;
}

const TEST = /^(?:it|test)\b/;
const TEST_OR_GROUP = /^(?:it|test|describe)\b/;
const LEFT_OUT = /\.(?:skip|todo|skipIf|runIf|fails)\b/;

const known = new Map<SourceFile, readonly TestTitle[]>();

/** The titles of all tests of the files of the project that a table may mean: only those are parsed, and each once. */
export function titlesOfTests(isMeant: (file: SourceFile) => boolean): readonly TestTitle[] {
  const files = [...sourcesIn('src'), ...sourcesIn('test')].filter((file) => isTest(file) && isMeant(file));
  return files.flatMap((file) => {
    const titles = known.get(file) ?? testTitles(file);
    known.set(file, titles);
    return titles;
  });
}

/** The titles of all tests of a file, as they are written. */
export function testTitles(file: SourceFile): readonly TestTitle[] {
  const found: TestTitle[] = [];
  visit(file.syntax, (node) => {
    const title = ts.isCallExpression(node) && TEST.test(calleeOf(node)) ? titleOf(node) : undefined;
    if (title !== undefined) found.push({ title, path: file.path, isSkipped: isLeftOut(node) });
  });
  return found;
}

/** `it.each(table)` in `it.each(table)('title', …)`: the words that say what kind of call it is, without its data. */
function calleeOf(call: ts.CallExpression): string {
  let callee: ts.Node = call.expression;
  let words = '';
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) {
    if (ts.isPropertyAccessExpression(callee)) words = `.${callee.name.text}${words}`;
    callee = callee.expression;
  }
  return ts.isIdentifier(callee) ? callee.text + words : '';
}

function titleOf(call: ts.CallExpression): string | undefined {
  const [first] = call.arguments;
  if (first === undefined) return undefined;
  if (ts.isStringLiteralLike(first)) return first.text;
  return ts.isTemplateExpression(first) ? first.getText() : undefined;
}

function isLeftOut(node: ts.Node): boolean {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
    if (!ts.isCallExpression(at)) continue;
    const callee = calleeOf(at);
    if (TEST_OR_GROUP.test(callee) && LEFT_OUT.test(callee)) return true;
  }
  return false;
}

import ts from 'typescript';
import { isTest, type SourceFile } from './source-file.js';

/** A literal of the source that can be part of a text for a person. `…` represents each value in it. */
export interface UserString {
  /** The file and the line. */
  readonly place: string;
  readonly text: string;
}

/** Every string literal, template and text of a page, without imports, types and tests. */
export function userStrings(files: readonly SourceFile[]): readonly UserString[] {
  return files.filter((file) => !isTest(file)).flatMap(stringsIn);
}

function stringsIn({ path, syntax }: SourceFile): readonly UserString[] {
  const found: UserString[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    const text = textOf(node);
    const { line } = syntax.getLineAndCharacterOfPosition(node.getStart(syntax));
    if (text !== undefined && text !== '') found.push({ place: `${path}:${line + 1}`, text });
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return found;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('');
  }
  return ts.isJsxText(node) ? node.text.trim() : undefined;
}

/** A message begins and ends where its literal does, or with `…`. */
export function isPrinted(message: string, strings: readonly UserString[]): boolean {
  const inside = message.replace(/^…|…$/g, '');
  return strings.some(({ text }) => {
    if (text === inside.trim()) return true;
    const place = text.indexOf(inside);
    if (place === -1 || (place > 0 && !message.startsWith('…'))) return false;
    return message.endsWith('…') || place + inside.length === text.length;
  });
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A literal of the source that can be part of a text for a person. `…` represents each value in it. */
export interface SourceString {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Every string literal, template and text of a page in the source, without imports, types and tests. */
export function sourceStrings(): readonly SourceString[] {
  return sourceFiles('src').flatMap((file) => stringsIn(file, readFileSync(file, 'utf8')));
}

export function stringsIn(file: string, source: string): readonly SourceString[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false, kind);
  const found: SourceString[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    const text = textOf(node);
    const line = parsed.getLineAndCharacterOfPosition(node.getStart(parsed)).line + 1;
    if (text !== undefined) found.push({ file, line, text });
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('');
  return ts.isJsxText(node) ? node.text.trim() : undefined;
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => join(folder, name))
    .toSorted();
}

import ts from 'typescript';
import { type SourceFile, visit } from './source-file.js';

const MOST_FILE_LINES = 400;
const MOST_FUNCTION_LINES = 60;
const MOST_LOOP_LINES = 100;
const LOOP = 'src/run/loop.ts';

/** What is longer than the guide: `path` for a file, `path function` for a function, with its length. */
export function tooLong(file: SourceFile): readonly { readonly what: string; readonly lines: number }[] {
  const mostLines = file.path === LOOP ? MOST_LOOP_LINES : MOST_FILE_LINES;
  const found = file.lineCount > mostLines ? [{ what: file.path, lines: file.lineCount }] : [];
  visit(file.syntax, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return;
    const first = file.syntax.getLineAndCharacterOfPosition(node.getStart()).line;
    const lines = file.syntax.getLineAndCharacterOfPosition(node.getEnd()).line - first + 1;
    if (lines > MOST_FUNCTION_LINES) found.push({ what: `${file.path} ${functionName(node, first)}`, lines });
  });
  return found;
}

function functionName(node: ts.SignatureDeclaration, line: number): string {
  if (node.name !== undefined) return node.name.getText();
  if (ts.isVariableDeclaration(node.parent)) return node.parent.name.getText();
  return `the function at line ${line + 1}`;
}

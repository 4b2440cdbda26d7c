import ts from 'typescript';
import { type SourceFile, visit } from './source-file.js';

const IMPURE_GLOBALS: ReadonlySet<string> = new Set([
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'process',
  'Buffer',
  'fetch',
  'crypto',
]);

const IMPURE_CALLS: ReadonlySet<string> = new Set(['Date.now', 'Math.random']);

/** Uses of Node, a clock, chance or the network, each as `path:line what`. */
export function impurities(file: SourceFile): readonly string[] {
  const declared = declaredNames(file.syntax);
  const found = file.imports
    .filter((specifier) => specifier.startsWith('node:'))
    .map((specifier) => `${file.path} imports ${specifier}`);
  visit(file.syntax, (node) => {
    const what = impurityAt(node, declared);
    if (what === undefined) return;
    const { line } = file.syntax.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file.path}:${line + 1} ${what}`);
  });
  return found;
}

function impurityAt(node: ts.Node, declared: ReadonlySet<string>): string | undefined {
  if (ts.isPropertyAccessExpression(node) && IMPURE_CALLS.has(node.getText())) return node.getText();
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments ?? []).length === 0) {
    return 'new Date()';
  }
  if (ts.isCallExpression(node) && node.expression.getText() === 'Date') return 'Date()';
  if (!ts.isIdentifier(node) || !IMPURE_GLOBALS.has(node.text) || declared.has(node.text)) return undefined;
  return isNameOfSomethingElse(node) ? undefined : node.text;
}

function isNameOfSomethingElse(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isPropertyAssignment(parent)) return parent.name === node;
  return ts.isTypeElement(parent) || ts.isTypeReferenceNode(parent) || ts.isClassElement(parent);
}

function declaredNames(syntax: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  visit(syntax, (node) => {
    const isDeclaration =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isImportSpecifier(node);
    if (isDeclaration && node.name !== undefined && ts.isIdentifier(node.name)) names.add(node.name.text);
  });
  return names;
}

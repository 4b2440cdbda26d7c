import ts from 'typescript';
import { type SourceFile, visit } from './source-file.js';

/** What differs from process to process. The clock counts: it is another one in every test. */
const OF_PROCESS: ReadonlySet<string> = new Set(['env', 'cwd', 'stdin', 'stdout', 'stderr']);
const CALLS: ReadonlySet<string> = new Set(['tmpdir', 'homedir', 'isatty', 'Date']);
const CLOCKS: ReadonlySet<string> = new Set(['Date.now', 'performance.timeOrigin']);

/** Reads of the environment, the working directory, the streams and the wall clock of the process, each as `path:line what`. */
export function processReads(file: SourceFile): readonly string[] {
  const found: string[] = [];
  visit(file.syntax, (node) => {
    const what = readAt(node);
    if (what === undefined) return;
    const { line } = file.syntax.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file.path}:${line + 1} ${what}`);
  });
  return found;
}

function readAt(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return memberAt(node.expression, node.name.text);
  if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression)) {
    return memberAt(node.expression, node.argumentExpression.text);
  }
  if (ts.isImportDeclaration(node) && /^'(?:node:)?process'$/.test(node.moduleSpecifier.getText()))
    return node.getText();
  if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name)) return takenFromProcess(node);
  if (ts.isNewExpression(node)) {
    return node.expression.getText() === 'Date' && (node.arguments ?? []).length === 0 ? 'new Date()' : undefined;
  }
  return ts.isCallExpression(node) ? callAt(node) : undefined;
}

function memberAt(expression: ts.Expression, name: string): string | undefined {
  const owner = expression.getText().replace(/^globalThis\./, '');
  const isRead = owner === 'process' ? OF_PROCESS.has(name) : CLOCKS.has(`${owner}.${name}`);
  return isRead ? `${owner}.${name}` : undefined;
}

/** `const { env } = process`. */
function takenFromProcess({ name, initializer }: ts.VariableDeclaration): string | undefined {
  if (initializer?.getText() !== 'process' || !ts.isObjectBindingPattern(name)) return undefined;
  const taken = name.elements.map((element) => (element.propertyName ?? element.name).getText());
  const read = taken.filter((one) => OF_PROCESS.has(one));
  return read.length === 0 ? undefined : `process: ${read.join(', ')}`;
}

/** A path that is resolved alone starts from the working directory of the process. */
function callAt(call: ts.CallExpression): string | undefined {
  const name = call.expression.getText().replace(/^globalThis\./, '');
  if (CALLS.has(name)) return `${name}()`;
  const [path, ...others] = call.arguments;
  const isPath = path !== undefined && !ts.isSpreadElement(path) && !ts.isObjectLiteralExpression(path);
  if (name !== 'resolve' || !isPath || others.length > 0) return undefined;
  return isOfPromise(call) ? undefined : `resolve(${path.getText()})`;
}

function isOfPromise(node: ts.Node): boolean {
  if (ts.isFunctionLike(node) && node.parameters.some(({ name }) => name.getText() === 'resolve')) return true;
  return node.parent !== undefined && isOfPromise(node.parent);
}

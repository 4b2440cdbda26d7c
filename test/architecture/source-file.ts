import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface SourceFile {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lineCount: number;
  readonly syntax: ts.SourceFile;
  readonly imports: readonly string[];
}

/** Its syntax and its imports are parsed when they are first read: most tests of the project need neither. */
export function parseSource(path: string, text: string): SourceFile {
  let syntax: ts.SourceFile | undefined;
  let imports: readonly string[] | undefined;
  return {
    path,
    text,
    lineCount: text.replace(/\n$/, '').split('\n').length,
    get syntax() {
      syntax ??= ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, scriptKind(path));
      return syntax;
    },
    get imports() {
      imports ??= importsOf(this.syntax);
      return imports;
    },
  };
}

function scriptKind(path: string): ts.ScriptKind {
  if (path.endsWith('.mjs')) return ts.ScriptKind.JS;
  return path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
}

const parsed = new Map<string, readonly SourceFile[]>();

/** Every TypeScript and script file below a folder of the project, read once. */
export function sourcesIn(folder: string): readonly SourceFile[] {
  const known = parsed.get(folder);
  if (known !== undefined) return known;
  const sources = filesIn(folder)
    .filter((path) => /\.(?:tsx?|mjs)$/.test(path))
    .map((path) => parseSource(path, readFileSync(join(ROOT, path), 'utf8')));
  parsed.set(folder, sources);
  return sources;
}

export function filesIn(folder: string): readonly string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

export function isTest(file: SourceFile): boolean {
  return file.path.endsWith('.test.ts');
}

export function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

/** The file of the project that an import means; undefined for a package. */
export function importedPath(file: SourceFile, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.normalize(posix.join(posix.dirname(file.path), specifier)).replace(/\.js$/, '.ts');
}

/** All of them: static, type-only, re-exports, `import()` and `import('…')` types. */
function importsOf(syntax: ts.SourceFile): readonly string[] {
  const found: string[] = [];
  visit(syntax, (node) => {
    const from = moduleNamed(node);
    if (from !== undefined && ts.isStringLiteralLike(from)) found.push(from.text);
  });
  return found;
}

function moduleNamed(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  return undefined;
}

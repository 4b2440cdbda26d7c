import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { filesIn, ROOT } from './source-file.js';

export interface Snippet {
  /** Where it stands: `README.md:12`. */
  readonly place: string;
  readonly code: string;
}

/** The blocks of a Markdown text that are fenced as `ts`. */
export function snippetsIn(document: string, text: string): readonly Snippet[] {
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => ({
    place: `${document}:${text.slice(0, match.index).split('\n').length}`,
    code: match[1] ?? '',
  }));
}

export function documentedSnippets(): readonly Snippet[] {
  const documents = ['README.md', ...filesIn('docs/guide').filter((path) => path.endsWith('.md'))];
  return documents.flatMap((document) => snippetsIn(document, ts.sys.readFile(join(ROOT, document)) ?? ''));
}

/** Type errors of the snippets, read as modules at the project's root, where `pawl` means the sources. */
export function snippetErrors(snippets: readonly Snippet[]): readonly string[] {
  const options: ts.CompilerOptions = { ...projectOptions(), noUnusedLocals: false, noUnusedParameters: false };
  const byFile = new Map(snippets.map((snippet, index) => [join(ROOT, `snippet-${index}.ts`), snippet]));
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (file) => byFile.has(file) || disk.fileExists(file),
    readFile: (file) => byFile.get(file)?.code ?? disk.readFile(file),
    getSourceFile: (file, version, ...rest) => {
      const snippet = byFile.get(file);
      // `export {}` makes a module of a snippet without imports, so that snippets do not see each other.
      if (snippet === undefined) return disk.getSourceFile(file, version, ...rest);
      return ts.createSourceFile(file, `${snippet.code}\nexport {};\n`, version, true);
    },
  };
  const program = ts.createProgram([...byFile.keys()], options, host);
  return [...byFile].flatMap(([file, snippet]) => {
    const source = program.getSourceFile(file);
    const diagnostics = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return diagnostics.map(
      (problem) => `${snippet.place} ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`,
    );
  });
}

function projectOptions(): ts.CompilerOptions {
  const path = join(ROOT, 'tsconfig.json');
  const { config } = ts.parseConfigFileTextToJson(path, readFileSync(path, 'utf8'));
  return ts.parseJsonConfigFileContent(config, ts.sys, ROOT, undefined, path).options;
}

import { posix } from 'node:path';
import { pythonModuleOf } from '../model/file-kind.js';
import type { SourceText } from './files-of-tests.js';

interface Project {
  /** The tests of the start. */
  readonly tests: readonly SourceText[];
  /** The names of those that ran at the start. */
  readonly ran: readonly string[];
  /** The code as it is now. */
  readonly code: readonly SourceText[];
}

const HEADERS = new Set(
  (
    'assert complex ctype errno float inttypes iso646 limits locale math setjmp signal stdarg stdatomic stdbool stddef ' +
    'stdint stdio stdlib string time unistd'
  ).split(' '),
);

/** The header of C that a file is found before: one of its name. */
function headerOf(path: string): string | undefined {
  const name = /(?:^|\/)(\w+)\.h$/.exec(path)?.[1];
  return name !== undefined && HEADERS.has(name) ? name : undefined;
}

/** Of new files, those that could take the place of a module of Python or a header of C. */
export function possibleShadows(created: readonly string[]): readonly string[] {
  return created.filter((path) => pythonModuleOf(path) !== undefined || headerOf(path) !== undefined);
}

/** Whether the text of a file is inspected to find out. */
export function canShadow(path: string): boolean {
  return /\.(?:py|cc?|cpp|cxx|hh?|hpp)$/.test(path);
}

/**
 * Of these, the ones in whose place tests included the header of C, or loaded the module of Python at the start, and ran with it. A module that tests could
 * not load before is what they ask for, and one of a package is loaded by another name.
 */
export function shadowedModules(shadows: readonly string[], { tests, ran, code }: Project): readonly string[] {
  const running = tests.filter(({ path }) => ran.some((name) => isIn(name, path)));
  return shadows.filter((path) => {
    const header = headerOf(path);
    if (header !== undefined) return isShadowed(header, tests, code);
    const name = pythonModuleOf(path) ?? '';
    const folder = posix.dirname(path.replace(/\/__init__\.py$/, '.py'));
    const loads = new RegExp(`^[ \\t]*(?:import[ \\t]+(?:[\\w., \\t]*,[ \\t]*)?|from[ \\t]+)${name}\\b`, 'm');
    const ofPackage = new RegExp(`\\b(?:from|import)[ \\t]+[\\w.]*\\.[ \\t]*(?:import[ \\t]+)?${name}\\b`);
    const isInPackage = folder !== '.' && code.some((file) => file.path === `${folder}/__init__.py`);
    return (
      !isInPackage && running.some(({ text }) => loads.test(text)) && !code.some(({ text }) => ofPackage.test(text))
    );
  });
}

/** Tests include the header of the system, and no code asks for one of its own. */
function isShadowed(header: string, tests: readonly SourceText[], code: readonly SourceText[]): boolean {
  const ofSystem = new RegExp(`^[ \\t]*#[ \\t]*include[ \\t]*<${header}\\.h>`, 'm');
  const own = new RegExp(`^[ \\t]*#[ \\t]*include[ \\t]*"(?:[^"\\n]*/)?${header}\\.h"`, 'm');
  return tests.some(({ text }) => ofSystem.test(text)) && !code.some(({ text }) => own.test(text));
}

/** `tests/test_a.py::test_b`, `tests.test_a.Group.test_b`. A file that could not be loaded has no names below it. */
function isIn(name: string, path: string): boolean {
  const module = path.replace(/\.py$/, '').replaceAll('/', '.');
  return name.includes(`${path}::`) || (name.includes(`${module}.`) && !name.includes('_FailedTest'));
}

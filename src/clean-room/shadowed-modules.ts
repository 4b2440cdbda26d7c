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

/** Of new files, those that could take the place of a module of Python. */
export function possibleShadows(created: readonly string[]): readonly string[] {
  return created.filter((path) => pythonModuleOf(path) !== undefined);
}

/**
 * Of these, the ones in whose place tests loaded the module of Python at the start, and ran with it. A module that tests could
 * not load before is what they ask for, and one of a package is loaded by another name.
 */
export function shadowedModules(shadows: readonly string[], { tests, ran, code }: Project): readonly string[] {
  const running = tests.filter(({ path }) => ran.some((name) => isIn(name, path)));
  return shadows.filter((path) => {
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

/** `tests/test_a.py::test_b`, `tests.test_a.Group.test_b`. A file that could not be loaded has no names below it. */
function isIn(name: string, path: string): boolean {
  const module = path.replace(/\.py$/, '').replaceAll('/', '.');
  return name.includes(`${path}::`) || (name.includes(`${module}.`) && !name.includes('_FailedTest'));
}

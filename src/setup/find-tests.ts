import { findNodeTests } from './find-node-tests.js';
import {
  findDenoTests,
  findDotnetTests,
  findElixirTests,
  findGoTests,
  findJavaTests,
  findMakeTests,
  findPhpTests,
  findRubyTests,
  findRustTests,
} from './find-other-tests.js';
import { findPythonTests } from './find-python-tests.js';
import type { FoundCommand, FoundTests } from './found-tests.js';
import { isCounted } from './is-counted.js';
import type { ProjectFiles } from './project-files.js';

/** The surest first: a script that is called "test" says more than a file that is there. */
const FINDERS: readonly ((files: ProjectFiles) => FoundCommand | undefined)[] = [
  findNodeTests,
  findDenoTests,
  findRustTests,
  findGoTests,
  findPythonTests,
  findJavaTests,
  findDotnetTests,
  findElixirTests,
  findRubyTests,
  findPhpTests,
  findMakeTests,
];

/** How the tests of this project are run. Reads files and executes nothing. */
export function findTests(files: ProjectFiles): FoundTests | undefined {
  for (const find of FINDERS) {
    const tests = find(files);
    if (tests === undefined) continue;
    const testFiles = [...new Set([...testFolders(files), ...tests.testFiles])];
    return { ...tests, testFiles, isCounted: isCounted(tests.command, files) };
  }
  return undefined;
}

function testFolders(files: ProjectFiles): readonly string[] {
  return ['test', 'tests', 'spec', '__tests__'].filter((name) => files.hasFolder(name)).map((name) => `${name}/**`);
}

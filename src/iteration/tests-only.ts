import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { candidateFor, canBelongToTests, isOnlyForTests, type SourceText } from '../clean-room/files-of-tests.js';
import type { SuiteFile } from '../clean-room/suite-files.js';
import { type MovedName, movedNames } from '../clean-room/moved-names.js';
import type { EarlierFile, EarlierTree } from '../observation/files/earlier-files.js';

/** What more files than this mention is not used by tests only. */
const MOST_USERS = 2000;
/** Manifests that lead names to files. */
const LEADING: readonly string[] = ['go.mod', 'package.json'];

export interface OnlyForTests {
  readonly files: readonly EarlierFile[];
  /** Names that lead elsewhere than at the start. */
  readonly names: readonly MovedName[];
}

interface Request {
  readonly trees: EarlierTree;
  readonly workingDir: string;
  readonly read: (trees: EarlierTree, isWanted: (path: string) => boolean) => Promise<readonly EarlierFile[]>;
  readonly kindOf: (path: string) => SuiteFile | undefined;
  /** The names of the tests of the start. */
  readonly tests: readonly string[];
}

/** Of the changed files, those under any name that only the tests of the start use: helpers, their data, and what leads to them. */
export async function onlyForTests(changed: ReadonlySet<string>, request: Request): Promise<OnlyForTests> {
  const { trees, workingDir, read, kindOf, tests } = request;
  // pytest names the document that an example is in.
  const holding = new Set(
    tests.map((name) => name.split('::')[0] ?? '').filter((path) => /\.(?:md|rst|txt)$/.test(path)),
  );
  const earlier = await read(trees, (path) => {
    if (!changed.has(path)) return false;
    return LEADING.includes(path) || holding.has(path) || (kindOf(path) === undefined && canBelongToTests(path));
  });
  const files = earlier.flatMap((file) => {
    const candidate = file.isTooLarge === true ? undefined : candidateFor(file.path, textOf(file));
    return candidate === undefined ? [] : [{ file, candidate }];
  });
  const leading = earlier.filter(({ path }) => LEADING.includes(path));
  const moved = await Promise.all(
    leading.map(async (file) => {
      const now = await readFile(join(workingDir, file.path), 'utf8').catch(() => '');
      return movedNames(file.path, textOf(file), now);
    }),
  );
  const names = moved.flat();
  const unsure = [...files.map(({ candidate }) => candidate), ...names].filter(({ isSure }) => isSure !== true);
  const users = await usersOf([...new Set(unsure.flatMap(({ words }) => words))], request);
  const isOfTests = (path: string) => ['test', 'settings', 'runner'].includes(kindOf(path) ?? '');
  const helpers = files.filter(({ candidate }) => isOnlyForTests(candidate, users, isOfTests)).map(({ file }) => file);
  return {
    files: [...new Set([...helpers, ...earlier.filter(({ path }) => holding.has(path))])],
    names: names.filter((name) => isOnlyForTests(name, users, isOfTests)),
  };
}

/** The files of the start that mention one of these words. */
async function usersOf(words: readonly string[], { trees, read }: Request): Promise<readonly SourceText[]> {
  if (words.length === 0) return [];
  let left = MOST_USERS;
  const { before, mostBytes } = trees;
  const users = await read({ before, mostBytes, mentioning: words }, () => left-- > 0);
  return left < 0 ? [] : users.map((file) => ({ path: file.path, text: textOf(file) }));
}

export function textOf({ before }: Pick<EarlierFile, 'before'>): string {
  return before === undefined || before.isLink ? '' : before.content.toString('utf8');
}

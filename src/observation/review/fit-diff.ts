import { plural } from '../../model/figures.js';
import { isTestFile } from '../../model/file-kind.js';

/** No file of a patch takes less, also when nothing of it is shown. */
const LEAST_HUNK_CHARACTERS = 200;
const NAMED_FILES = 50;

interface PatchFile {
  readonly path: string;
  /** The lines before the first hunk. */
  readonly head: string;
  readonly hunks: readonly string[];
}

/**
 * A patch within a size: changed tests first, the largest hunks cut, so that no change is so large that another is not shown.
 * What is cut is marked.
 */
export function fitDiff(patch: string, mostCharacters: number): string {
  const files = testsFirst(filesOf(patch));
  if (patch.length <= mostCharacters) return files.map(textOf).join('');
  const shown = filesThatFit(files, mostCharacters);
  const heads = shown.reduce((sum, { head }) => sum + head.length, 0);
  const most = hunkLimit(
    shown.flatMap(({ hunks }) => hunks.map(({ length }) => length)),
    mostCharacters - heads,
  );
  const cut = shown.map(({ hunks, ...file }) => textOf({ ...file, hunks: hunks.map((hunk) => cutHunk(hunk, most)) }));
  return [...cut, leftOut(files.slice(shown.length))].join('');
}

/**
 * Every line of content begins with a space, `+`, `-` or `\`: nothing in a file can look like the head of another. Only a
 * line feed ends a line.
 */
function filesOf(patch: string): readonly PatchFile[] {
  return patch.split(/(?<![^\n])(?=diff --git )/).flatMap((text) => {
    if (text.trim() === '') return [];
    const [head = '', ...hunks] = text.split(/(?<![^\n])(?=@@ )/);
    return [{ path: pathOf(head), head, hunks }];
  });
}

function pathOf(head: string): string {
  const named = /^\+\+\+ "?b\/(.*?)"?\t?$/m.exec(head) ?? /^--- "?a\/(.*?)"?\t?$/m.exec(head);
  return named?.[1] ?? /^diff --git .* "?b\/(.*?)"?$/m.exec(head)?.[1] ?? '';
}

function testsFirst(files: readonly PatchFile[]): readonly PatchFile[] {
  return [...files.filter(({ path }) => isTestFile(path)), ...files.filter(({ path }) => !isTestFile(path))];
}

function textOf({ head, hunks }: PatchFile): string {
  return `${head}${hunks.join('')}`;
}

/** As many files as have room for a bit of each of their hunks. */
function filesThatFit(files: readonly PatchFile[], mostCharacters: number): readonly PatchFile[] {
  let left = mostCharacters;
  const end = files.findIndex(({ head, hunks }) => {
    left -= head.length + hunks.reduce((sum, { length }) => sum + Math.min(length, LEAST_HUNK_CHARACTERS), 0);
    return left < 0;
  });
  return end === -1 ? files : files.slice(0, end);
}

/** The largest size of a hunk at which all of them fit: smaller ones are shown whole. */
function hunkLimit(sizes: readonly number[], room: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = room;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return Math.max(LEAST_HUNK_CHARACTERS, share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function cutHunk(hunk: string, most: number): string {
  if (hunk.length <= most) return hunk;
  const kept = hunk.slice(0, most);
  const lines = hunk.slice(most).split('\n').length - 1;
  return `${kept}\n[cut: ${plural(hunk.length - most, 'more character')} in ${plural(Math.max(1, lines), 'line')} of this hunk]\n`;
}

function leftOut(files: readonly PatchFile[]): string {
  if (files.length === 0) return '';
  const names = files.slice(0, NAMED_FILES).map(({ path }) => JSON.stringify(path.slice(0, 200)));
  const more = files.length > NAMED_FILES ? `, and ${files.length - NAMED_FILES} more` : '';
  return `[cut: ${plural(files.length, 'more changed file')}: ${names.join(', ')}${more}]\n`;
}

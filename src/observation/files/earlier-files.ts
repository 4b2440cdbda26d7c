import { type CallLimits, GitFailed, type ShadowRepository } from './shadow-repository.js';
import { type PathBytes, shownFrom, splitPaths } from './work-tree.js';
import { entryChanges, everyEntry, type TreeEntry } from './tree-entries.js';

/** A file as an earlier snapshot holds it. */
export interface EarlierFile {
  /** Relative to the working directory. */
  readonly path: string;
  /** Undefined: there was none. */
  readonly before?: { readonly content: Buffer; readonly isExecutable: boolean; readonly isLink: boolean } | undefined;
  /** It was larger than what is read. */
  readonly isTooLarge?: true;
}

export interface EarlierTree {
  readonly before: string;
  /** Only files that differ from this one; all files without it. */
  readonly after?: string | undefined;
  /** Only text files that contain one of these. */
  readonly mentioning?: readonly string[] | undefined;
  readonly mostBytes: number;
}

/** The files of a snapshot that are asked for, with their content. */
export async function earlierFiles(
  shadow: ShadowRepository,
  folder: string,
  { before, after, mentioning, mostBytes }: EarlierTree,
  isWanted: (path: string) => boolean,
  limits: CallLimits,
): Promise<readonly EarlierFile[]> {
  const entries =
    after === undefined ? await everyEntry(shadow, before, limits) : await entryChanges(shadow, before, after, limits);
  const mentions = mentioning === undefined ? undefined : await pathsWith(shadow, before, mentioning, limits);
  const changes = entries
    .filter(({ path }) => mentions?.has(path) !== false)
    .map((change) => ({ path: shownFrom(folder, change.path), entry: change.before }))
    .filter(({ path }) => isWanted(path));
  const contents = await contentsOf(
    shadow,
    changes.flatMap(({ entry }) => (entry === undefined ? [] : [entry])),
    mostBytes,
    limits,
  );
  return changes.map(({ path, entry }) => {
    if (entry === undefined) return { path };
    const content = contents.get(entry.blob);
    if (content === undefined) return { path, isTooLarge: true };
    return { path, before: { content, isExecutable: entry.mode === '100755', isLink: entry.mode === '120000' } };
  });
}

async function pathsWith(
  shadow: ShadowRepository,
  tree: string,
  words: readonly string[],
  limits: CallLimits,
): Promise<ReadonlySet<PathBytes>> {
  const patterns = words.flatMap((word) => ['-e', word]);
  try {
    const { stdout } = await shadow.git(
      ['grep', '-l', '-z', '-I', '-F', '--full-name', ...patterns, tree, '--'],
      limits,
    );
    return new Set(splitPaths(stdout).map((found) => found.slice(tree.length + 1)));
  } catch (error) {
    if (error instanceof GitFailed && error.exitCode === 1) return new Set();
    throw error;
  }
}

async function contentsOf(
  shadow: ShadowRepository,
  entries: readonly TreeEntry[],
  mostBytes: number,
  limits: CallLimits,
): Promise<ReadonlyMap<string, Buffer>> {
  const blobs = [...new Set(entries.map(({ blob }) => blob))];
  if (blobs.length === 0) return new Map();
  const sizes = await shadow.git(['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'], limits, {
    input: `${blobs.join('\n')}\n`,
  });
  const small = sizes.stdout
    .toString('latin1')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, type, size]) => type === 'blob' && Number(size) <= mostBytes)
    .map(([blob = '']) => blob);
  if (small.length === 0) return new Map();
  const { stdout } = await shadow.git(['cat-file', '--batch'], limits, { input: `${small.join('\n')}\n` });
  return splitBatch(stdout);
}

/** `<id> blob <size>`, a line break, the content and another line break, for each. */
function splitBatch(output: Buffer): ReadonlyMap<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    if (end === -1) break;
    const [blob = '', , size = '0'] = output.toString('latin1', at, end).split(' ');
    const start = end + 1;
    contents.set(blob, output.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return contents;
}

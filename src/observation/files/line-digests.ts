import { fileKind, isWork } from '../../model/file-kind.js';
import { shortDigest } from '../../model/json.js';

/** Of many lines those with the smallest digests are kept: the same change always gives the same ones. */
const MOST_DIGESTS = 32;
/** Whether each of more lines was extended would take too long to tell. */
const MOST_REPLACED = 500;

/** In prose a number mostly counts what was written. Elsewhere another number is another content. */
const PROSE = /(?:^|\/)[^./]+$|\.(?:md|markdown|txt|text|rst|adoc|org|rtf)$/i;
const TIMES = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?)?|\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?|\d{10,}/g;

/**
 * Digests of the changed lines of a patch (`git diff -U0`), without white space and times. Lines that were only moved,
 * indented, dated or, in prose, numbered within their file cancel out. Lock files, notes, logs and generated files are
 * left out. Two changes with the same digests changed nothing new.
 */
export function lineDigests(patch: Buffer): readonly string[] {
  const digests = new Set(filesOf(patch).flatMap(changesOf).map(shortDigest));
  return [...digests].sort().slice(0, MOST_DIGESTS);
}

/**
 * Whether a patch only puts other lines in place of lines that were not there at the start of the run. A file that is
 * created or deleted, and a text that grows, are more than that. `sinceStart` is the patch from the start to where this one
 * begins.
 */
export async function isRewriting(patch: Buffer, sinceStart: () => Promise<Buffer>): Promise<boolean> {
  const changed = filesOf(patch).filter((file) => changesOf(file).length > 0);
  if (changed.length === 0 || !changed.every(isReplaced)) return false;
  const written = new Map(filesOf(await sinceStart()).map((file) => [file.path, new Set(file.written)]));
  return changed.every(({ path, removed }) => removed.every((line) => written.get(path)?.has(line)));
}

/** What a patch changes in a file of work. Lines are without white space and times. */
interface ChangedFile {
  readonly path: string;
  /** That it is created, or deleted. */
  readonly made?: string | undefined;
  /** Of a binary file, which has no lines: the ids of its contents. */
  readonly ids?: readonly string[] | undefined;
  /** Without those that were only moved or numbered, as `removed`. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** All lines that are added. */
  readonly written: readonly string[];
}

function filesOf(patch: Buffer): readonly ChangedFile[] {
  const files = patch
    .toString('latin1')
    .split(/^diff --git /m)
    .slice(1);
  return files.flatMap((file) => {
    const path = /^(?:\+\+\+ b|--- a)\/(.+?)"?\t?$/m.exec(file)?.[1] ?? /^.* b\/(.+?)"?$/m.exec(file)?.[1] ?? '';
    if (!isWork(fileKind(path))) return [];
    const start = file.search(/^@@/m);
    const head = start === -1 ? file : file.slice(0, start);
    const made = /^(?:new|deleted) file mode/m.exec(head)?.[0];
    if (start !== -1) return [{ path, made, ...linesOf(file.slice(start), path) }];
    const ids = [...head.matchAll(/^index \w+\.\.\w+/gm)].map(([found]) => found);
    return [{ path, made, ids, added: [], removed: [], written: [] }];
  });
}

function changesOf({ path, made, ids, added, removed }: ChangedFile): readonly string[] {
  const changes = ids ?? [...added.map((line) => `+${line}`), ...removed.map((line) => `-${line}`)];
  // A new name for lines that were written before is nothing new.
  const isCopy = made?.startsWith('new') === true && ids === undefined && changes.length > 0;
  return made === undefined || isCopy ? changes : [`${made} ${path}`, ...changes];
}

function isReplaced({ made, added, removed }: ChangedFile): boolean {
  if (made !== undefined || added.length === 0 || removed.length === 0 || removed.length > MOST_REPLACED) return false;
  const isMore = added.length > removed.length && added.join('').length > removed.join('').length;
  return !isMore && !removed.some((line) => added.some((longer) => isExtended(line, longer)));
}

/** Something was put into the line, or behind it: a row of a table in one line, another argument of a call. */
function isExtended(line: string, longer: string): boolean {
  if (longer.length <= line.length) return false;
  let same = 0;
  while (same < line.length && line[same] === longer[same]) same += 1;
  return longer.endsWith(line.slice(same));
}

interface Alike {
  readonly added: string[];
  readonly removed: string[];
}

function linesOf(hunks: string, path: string): Pick<ChangedFile, 'added' | 'removed' | 'written'> {
  const isProse = PROSE.test(path) && fileKind(path) !== 'settings';
  const groups = new Map<string, Alike>();
  const written: string[] = [];
  for (const line of hunks.split('\n')) {
    const sign = line[0];
    const content = sign === '+' || sign === '-' ? contentOf(line.slice(1)) : '';
    if (content === '') continue;
    if (sign === '+') written.push(content);
    const shape = isProse ? content.replace(/\d+/g, '#') : content;
    const group = groups.get(shape) ?? { added: [], removed: [] };
    (sign === '+' ? group.added : group.removed).push(content);
    groups.set(shape, group);
  }
  const alike = [...groups.values()];
  const more = (of: keyof Alike, than: keyof Alike) =>
    alike
      .filter((group) => group[of].length > group[than].length)
      .flatMap((group) => group[of].filter((line) => !group[than].includes(line)));
  return { added: more('added', 'removed'), removed: more('removed', 'added'), written };
}

function contentOf(line: string): string {
  const content = line.replace(TIMES, '').replace(/\s+/g, '');
  return /[\w\u0080-\u00ff]/.test(content) ? content : '';
}

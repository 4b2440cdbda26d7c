export type PatchLineKind = 'added' | 'removed' | 'kept' | 'hunk' | 'note';

export interface PatchLine {
  readonly kind: PatchLineKind;
  readonly text: string;
}

export interface PatchedFile {
  readonly path: string;
  /** What happened to the file itself: `new`, `deleted`, `renamed from a`; nothing when only its lines changed. */
  readonly change?: string | undefined;
  /** Its lines are none that could be shown. */
  readonly isBinary: boolean;
  readonly lines: readonly PatchLine[];
  readonly added: number;
  readonly removed: number;
}

/** The files of a patch in the form of `git diff`. */
export function parsePatch(patch: string): readonly PatchedFile[] {
  // A line ends at \n alone: whatever else could end one stands in the line of a file.
  const parts = patch.split(/(?<=\n)(?=diff --git )/).filter((part) => part.startsWith('diff --git '));
  return parts.map(parseFile);
}

function parseFile(part: string): PatchedFile {
  const all = part.replace(/\n$/, '').split('\n');
  const begin = all.findIndex((line) => line.startsWith('@@'));
  const head = begin === -1 ? all : all.slice(0, begin);
  const lines = (begin === -1 ? [] : all.slice(begin)).map(parseLine);
  return {
    path: pathOf(head),
    change: changeOf(head),
    isBinary: begin === -1 && head.some((line) => /^(?:Binary files |GIT binary patch)/.test(line)),
    lines,
    added: lines.filter(({ kind }) => kind === 'added').length,
    removed: lines.filter(({ kind }) => kind === 'removed').length,
  };
}

function parseLine(text: string): PatchLine {
  if (text.startsWith('@@')) return { kind: 'hunk', text };
  if (text.startsWith('+')) return { kind: 'added', text: text.slice(1) };
  if (text.startsWith('-')) return { kind: 'removed', text: text.slice(1) };
  if (text.startsWith('\\')) return { kind: 'note', text: text.slice(2) };
  return { kind: 'kept', text: text.slice(1) };
}

/** By the lines that name one file; the first line names two, and blanks in them cannot be told from the one between. */
function pathOf(head: readonly string[]): string {
  const after = named(head, '+++ ') ?? named(head, 'rename to ');
  const before = named(head, '--- ');
  const path = after === undefined || after === '/dev/null' ? before : after;
  if (path !== undefined && path !== '/dev/null') return path.replace(/^[ab]\//, '');
  const first = (head[0] ?? '').replace(/^diff --git /, '');
  return first.slice(first.length / 2 + 1).replace(/^[ab]\//, '') || first;
}

function named(head: readonly string[], start: string): string | undefined {
  const line = head.find((each) => each.startsWith(start));
  return line
    ?.slice(start.length)
    .replace(/\t$/, '')
    .replace(/^"(.*)"$/, '$1');
}

function changeOf(head: readonly string[]): string | undefined {
  if (head.some((line) => line.startsWith('new file'))) return 'new';
  if (head.some((line) => line.startsWith('deleted file'))) return 'deleted';
  const from = named(head, 'rename from ');
  if (from !== undefined) return `renamed from ${from}`;
  return head.some((line) => line.startsWith('new mode')) ? 'mode changed' : undefined;
}

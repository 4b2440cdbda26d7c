import { parsePatch as parse, type StructuredPatch } from 'diff';
import { changedParts, type TextRange } from './changed-parts.js';

export type PatchLineKind = 'added' | 'removed' | 'kept' | 'hunk' | 'note';

export interface PatchLine {
  readonly kind: PatchLineKind;
  readonly text: string;
  /** The words that are different from those of the line that it replaces, or that replaces it. */
  readonly changed?: readonly TextRange[] | undefined;
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
  // A line ends at \n alone: whatever else could end one is in the line of a file.
  const parts = patch.split(/(?<=\n)(?=diff --git )/).filter((part) => part.startsWith('diff --git '));
  return parts.flatMap((part) => parse(wholeHunks(part)).map((file) => patchedFile(file, part)));
}

/** A patch that was cut off ends in the middle of a hunk: its head then promises more lines than there are. */
function wholeHunks(part: string): string {
  const start = part.lastIndexOf('\n@@ ') + 1;
  if (start === 0) return part;
  const [head = '', ...lines] = part.slice(start).replace(/\n$/, '').split('\n');
  const count = (signs: string) => lines.filter((line) => signs.includes(line.charAt(0) || ' ')).length;
  const counted = head.replace(
    /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/,
    (_, before: string, after: string) => `@@ -${before},${count(' -')} +${after},${count(' +')} @@`,
  );
  return `${part.slice(0, start)}${[counted, ...lines].join('\n')}\n`;
}

function patchedFile(file: StructuredPatch, part: string): PatchedFile {
  const { hunks, oldFileName = '', newFileName = '' } = file;
  const heads = part.split('\n').filter((line) => line.startsWith('@@'));
  const lines = hunks.flatMap((hunk, index) => [
    { kind: 'hunk', text: heads[index] ?? '' } as const,
    ...withChangedWords(hunk.lines.map(lineOf)),
  ]);
  return {
    path: withoutSide(newFileName === '/dev/null' ? oldFileName : newFileName),
    change: changeOf(file),
    isBinary: file.isBinary === true || (hunks.length === 0 && /^GIT binary patch$/m.test(part)),
    lines,
    added: lines.filter(({ kind }) => kind === 'added').length,
    removed: lines.filter(({ kind }) => kind === 'removed').length,
  };
}

function lineOf(text: string): PatchLine {
  if (text.startsWith('+')) return { kind: 'added', text: text.slice(1) };
  if (text.startsWith('-')) return { kind: 'removed', text: text.slice(1) };
  if (text.startsWith('\\')) return { kind: 'note', text: text.slice(2) };
  return { kind: 'kept', text: text.slice(1) };
}

/** Lines that are replaced by as many others are compared word by word, the first with the first. */
function withChangedWords(lines: readonly PatchLine[]): readonly PatchLine[] {
  const marked = [...lines];
  for (let start = 0; start < lines.length; start += 1) {
    if (lines[start]?.kind !== 'removed') continue;
    const removed = runOf(lines, start, 'removed');
    const added = runOf(lines, start + removed, 'added');
    if (removed === added) {
      for (let index = start; index < start + removed; index += 1) {
        const [before, after] = changedParts(lines[index]?.text ?? '', lines[index + removed]?.text ?? '');
        marked[index] = { kind: 'removed', text: lines[index]?.text ?? '', changed: before };
        marked[index + removed] = { kind: 'added', text: lines[index + removed]?.text ?? '', changed: after };
      }
    }
    start += removed + added - 1;
  }
  return marked;
}

function runOf(lines: readonly PatchLine[], start: number, kind: PatchLineKind): number {
  const end = lines.findIndex((line, index) => index >= start && line.kind !== kind);
  return (end < 0 ? lines.length : end) - start;
}

function withoutSide(name: string): string {
  return name.replace(/^[ab]\//, '');
}

function changeOf({ isCreate, isDelete, isRename, oldFileName = '', oldMode, newMode }: StructuredPatch) {
  if (isCreate === true) return 'new';
  if (isDelete === true) return 'deleted';
  if (isRename === true) return `renamed from ${withoutSide(oldFileName)}`;
  return newMode !== undefined && newMode !== oldMode ? 'mode changed' : undefined;
}

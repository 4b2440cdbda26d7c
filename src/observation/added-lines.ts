/** A line that a patch adds, with its number in the new file. */
export interface AddedLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The lines that a patch in the form of `git diff` adds. A binary file has none. */
export function addedLines(patch: string): readonly AddedLine[] {
  const added: AddedLine[] = [];
  let path: string | undefined;
  let [line, removed, left] = [0, 0, 0];
  // A line ends at \n alone: whatever else could end one is part of the line of a file.
  for (const text of patch.split('\n')) {
    // Only the counts of a hunk say where it ends: its lines may begin like a header.
    if (removed > 0 || left > 0) {
      const sign = text[0] ?? ' ';
      if (sign === '+' && path !== undefined) added.push({ path, line, text: text.slice(1).replace(/\r$/, '') });
      if (sign === '+' || sign === ' ') left -= 1;
      if (sign === '-' || sign === ' ') removed -= 1;
      if (sign === '+' || sign === ' ') line += 1;
      continue;
    }
    const hunk = HUNK.exec(text);
    if (hunk !== null) {
      removed = Number(hunk[1] ?? 1);
      line = Number(hunk[2]);
      left = Number(hunk[3] ?? 1);
    } else if (text.startsWith('diff --git ')) path = undefined;
    else if (text.startsWith('+++ ')) path = pathOf(text.slice(4));
  }
  return added;
}

function pathOf(name: string): string | undefined {
  // git ends a name that has blanks with a tab.
  const bare = name.replace(/\r$/, '').replace(/\t$/, '');
  const path = bare.startsWith('"') && bare.endsWith('"') ? unquoted(bare.slice(1, -1)) : bare;
  return path === '/dev/null' ? undefined : path.replace(/^b\//, '');
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** A name as git quotes it: bytes of UTF-8 in octal, and the escapes of C. */
function unquoted(name: string): string {
  const encoder = new TextEncoder();
  const parts = name.match(/\\[0-7]{3}|\\.|[^\\]+/g) ?? [];
  const bytes = parts.flatMap((part) => {
    if (!part.startsWith('\\')) return [...encoder.encode(part)];
    const escape = part.slice(1);
    return /^[0-7]{3}$/.test(escape)
      ? [Number.parseInt(escape, 8) & 255]
      : [ESCAPES[escape] ?? escape.charCodeAt(0) & 255];
  });
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

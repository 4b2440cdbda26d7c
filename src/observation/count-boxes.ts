/** The boxes of a list in Markdown, `- [ ] what to do`. */
export interface FoundBoxes {
  readonly checked: number;
  readonly total: number;
  /** What each box says, in order. */
  readonly items: readonly { readonly text: string; readonly isChecked: boolean }[];
}

interface Fence {
  readonly mark: string;
  /** The column at which its list item begins: a line further left ends the item, and the fence with it. */
  readonly column: number;
}

const TAB_COLUMNS = 4;
const CODE_COLUMNS = 4;
const QUOTE_MARKS = /^(?: {0,3}> ?)+/;
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:\s+|$)/;
/** As GitHub shows it: a space, `x` or `X`, and something to do after it. */
const BOX = /^\[([\s\u00a0xX])\]\s+(?=\S)/;
const FENCE = /^(`{3,}|~{3,})(.*)$/;

/**
 * Counts boxes as GitHub shows them: in nested and numbered lists, not in code, and not in HTML comments. Where the indentation
 * is in doubt, it is a box: one too many is seen, one too few would end a run too early.
 */
export function countBoxes(text: string): FoundBoxes {
  const scanner = new Scanner();
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) scanner.read(line);
  const { items } = scanner;
  return { checked: items.filter(({ isChecked }) => isChecked).length, total: items.length, items };
}

class Scanner {
  readonly items: { readonly text: string; readonly isChecked: boolean }[] = [];
  /** The columns at which the content of open list items begins. */
  #columns: number[] = [];
  #fence: Fence | undefined;
  #isInComment = false;
  #isAfterBlank = true;

  read(line: string): void {
    const quoted = QUOTE_MARKS.exec(line)?.[0] ?? '';
    const bare = expandTabs(line.slice(quoted.length));
    if (this.#fence !== undefined && this.#isInFence(bare)) return;
    const shown = this.#withoutComments(bare);
    if (shown.trim() === '') {
      // A comment that fills its line is no blank line.
      if (bare.trim() === '') this.#isAfterBlank = true;
      return;
    }
    this.#readShown(shown);
    this.#isAfterBlank = false;
  }

  #readShown(line: string): void {
    let column = indentOf(line);
    let rest = line.trim();
    const isItem = ITEM.test(rest);
    // What follows a line of text at once belongs to it, wherever it begins.
    if (isItem || this.#isAfterBlank) this.#columns = this.#columns.filter((content) => content <= column);
    if (this.#isAfterBlank && column - (this.#columns.at(-1) ?? 0) >= CODE_COLUMNS) return;
    for (let item = ITEM.exec(rest); item !== null; item = ITEM.exec(rest)) {
      const width = item[0].trimEnd().length;
      const space = item[0].length - width;
      column += space > CODE_COLUMNS ? width + 1 : item[0].length;
      this.#columns.push(column);
      rest = rest.slice(item[0].length);
      if (this.#readBox(rest) || space > CODE_COLUMNS) return;
    }
    const [, mark, info = ''] = FENCE.exec(rest) ?? [];
    if (mark !== undefined && !(mark.startsWith('`') && info.includes('`')))
      this.#fence = { mark, column: this.#columns.at(-1) ?? 0 };
  }

  #readBox(rest: string): boolean {
    const box = BOX.exec(rest);
    if (box === null) return false;
    this.items.push({ text: rest.slice(box[0].length).trim(), isChecked: /x/i.test(box[1] ?? '') });
    return true;
  }

  #isInFence(line: string): boolean {
    const { mark, column } = this.#fence as Fence;
    const rest = line.trim();
    if (rest !== '' && indentOf(line) < column) {
      this.#fence = undefined;
      return false;
    }
    const isEnd = rest.length >= mark.length && rest === (mark[0] ?? '').repeat(rest.length);
    if (isEnd) this.#fence = undefined;
    return true;
  }

  /** Inline code is not a place where a comment can begin. One that begins within a line and has no end there is text. */
  #withoutComments(line: string): string {
    let shown = line;
    if (this.#isInComment) {
      const end = line.indexOf('-->');
      if (end < 0) return '';
      this.#isInComment = false;
      shown = ' '.repeat(end + 3) + line.slice(end + 3);
    }
    const cleaned = cutComments(shown);
    if (!cleaned.trimStart().startsWith('<!--')) return cleaned;
    this.#isInComment = true;
    return '';
  }
}

/** A line without its whole comments, in one pass: a line can be as long as the file. */
function cutComments(line: string): string {
  if (!line.includes('<!--')) return line;
  const marks = [...line.matchAll(/`+|<!--/g)];
  const lastOfLength = new Map(marks.map(([mark], index) => [mark, index]));
  let shown = '';
  let from = 0;
  let codeMark: string | undefined;
  for (const [index, { 0: mark, index: at }] of marks.entries()) {
    if (codeMark !== undefined) {
      if (mark === codeMark) codeMark = undefined;
    } else if (mark !== '<!--') {
      if ((lastOfLength.get(mark) ?? index) > index) codeMark = mark;
    } else if (at >= from) {
      const end = line.indexOf('-->', at + 4);
      if (end < 0) break;
      shown += line.slice(from, at);
      from = end + 3;
    }
  }
  return shown + line.slice(from);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** A tab reaches to the next column that can be divided by four. */
function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let expanded = '';
  for (const character of line)
    expanded += character === '\t' ? ' '.repeat(TAB_COLUMNS - (expanded.length % TAB_COLUMNS)) : character;
  return expanded;
}

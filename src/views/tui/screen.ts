import { breakLine, clipLine, lineWidth } from '../../words/printable.js';

const ESC = '\u001b[';
/** Terminals that know it show everything between the two at once; others ignore it. */
const BEGIN = `${ESC}?2026h`;
const END = `${ESC}?2026l`;
const HIDE_CURSOR = `${ESC}?25l`;
const SHOW_CURSOR = `${ESC}?25h`;
/** Pasted text then comes between marks, and a newline in it is no Enter. */
const MARK_PASTE = `${ESC}?2004h`;
const UNMARK_PASTE = `${ESC}?2004l`;
/** The whole of it: some terminals remember how long a line once was, and break it by that. */
const ERASE_LINE = `${ESC}2K`;
const ERASE_BELOW = `${ESC}J`;
/** From the first column of this line. Not sent from there: at the top of the screen tmux would keep all as history. */
const ERASE_FROM_HERE = ` ${ERASE_BELOW}\r`;

/** The lines that change, and where the cursor is if someone types in one of them. */
export interface Frame {
  readonly lines: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * The last lines of a terminal, redrawn in place; what is finished goes above them and scrolls away. Writes once per
 * drawing, and only lines that differ. Never clears the screen, and never writes into the last column, after which
 * terminals do not agree on where the cursor is.
 */
export class Screen {
  readonly #write: (text: string) => void;
  readonly #size: () => ScreenSize;
  #shown: readonly string[] = [];
  #columns = 0;
  /** Where the cursor was left. */
  #row = 0;
  #column = 0;
  #isTyping: boolean | undefined;

  constructor(write: (text: string) => void, size: () => ScreenSize) {
    this.#write = write;
    this.#size = size;
  }

  /** Lines that a frame may have. */
  get height(): number {
    return Math.max(1, this.#size().rows - 1);
  }

  /** Columns that a line may have. */
  get width(): number {
    return Math.max(1, this.#size().columns - 1);
  }

  draw(frame: Frame, above: readonly string[] = []): void {
    const lines = frame.lines.slice(0, this.height).map((line) => clipLine(line, this.width));
    const isMoved = this.#shown.length === 0 || above.length > 0 || this.#size().columns !== this.#columns;
    const body = isMoved ? this.#redrawn(lines, above) : this.#changed(lines);
    const cursor = this.#placed(frame.cursor, lines.length);
    if (body !== '' || cursor !== '') this.#write(`${BEGIN}${body}${cursor}${END}`);
    this.#shown = lines;
    this.#columns = this.#size().columns;
  }

  /** Takes the frame away, prints what is left to be said, and gives the cursor back. */
  end(above: readonly string[] = []): void {
    const lines = this.#broken(above).map((line) => `${line}\n`);
    const text = `${this.#toTop()}${this.#shown.length > 0 ? ERASE_FROM_HERE : ''}${lines.join('')}`;
    const cursor = this.#isTyping === undefined ? '' : `${this.#isTyping ? UNMARK_PASTE : ''}${SHOW_CURSOR}`;
    if (text !== '' || cursor !== '') this.#write(`${text}${cursor}`);
    this.forget();
  }

  /** Whatever was drawn is not there any more, or not at the cursor. */
  forget(): void {
    this.#shown = [];
    this.#row = 0;
    this.#column = 0;
    this.#isTyping = undefined;
  }

  #toTop(): string {
    if (this.#shown.length === 0) return '';
    return `${up(this.#rowsAbove())}\r`;
  }

  /** A terminal that became narrower has broken the lines again. */
  #rowsAbove(): number {
    const { columns } = this.#size();
    if (columns >= this.#columns) return this.#row;
    const broken = this.#shown.slice(0, this.#row).map((line) => Math.max(1, Math.ceil(lineWidth(line) / columns)));
    return broken.reduce((sum, rows) => sum + rows, 0) + Math.floor(this.#column / columns);
  }

  #broken(above: readonly string[]): readonly string[] {
    return above.flatMap((line) => breakLine(line, this.width));
  }

  /** Everything, below what is finished. */
  #redrawn(lines: readonly string[], above: readonly string[]): string {
    const finished = this.#broken(above);
    const top = this.#shown.length === 0 ? '' : `${this.#toTop()}${ERASE_FROM_HERE}`;
    const text = `${top}${[...finished, ...lines].join('\n')}`;
    this.#row = Math.max(0, lines.length - 1);
    this.#column = -1;
    return text;
  }

  /** The lines that differ, each at its place. */
  #changed(lines: readonly string[]): string {
    const before = this.#shown;
    let text = '';
    let lowest = before.length - 1;
    const goTo = (row: number) => {
      const there = Math.min(row, lowest);
      text += there < this.#row ? up(this.#row - there) : down(there - this.#row);
      // Below the lowest line there is nothing yet to go to.
      text += '\n'.repeat(row - there);
      lowest = Math.max(lowest, row);
      this.#row = row;
    };
    lines.forEach((line, row) => {
      if (line === before[row]) return;
      goTo(row);
      text += `\r${row < before.length ? ERASE_LINE : ''}${line}`;
      this.#column = -1;
    });
    if (lines.length < before.length) {
      goTo(lines.length);
      text += `\r${ERASE_BELOW}${up(1)}`;
      this.#row = Math.max(0, lines.length - 1);
    }
    return text;
  }

  /** The cursor rests, hidden, before the last line, or stands where someone types. */
  #placed(cursor: Frame['cursor'], height: number): string {
    const row = Math.min(cursor?.row ?? height - 1, Math.max(0, height - 1));
    const column = Math.min(cursor?.column ?? 0, this.width);
    const isTyping = cursor !== undefined;
    const moves = row !== this.#row || column !== this.#column;
    const vertical = row < this.#row ? up(this.#row - row) : down(row - this.#row);
    const move = moves ? `${vertical}\r${column > 0 ? `${ESC}${column}C` : ''}` : '';
    const show = isTyping
      ? `${MARK_PASTE}${SHOW_CURSOR}`
      : `${this.#isTyping === true ? UNMARK_PASTE : ''}${HIDE_CURSOR}`;
    const shown = isTyping === this.#isTyping ? '' : show;
    this.#row = row;
    this.#column = column;
    this.#isTyping = isTyping;
    return `${move}${shown}`;
  }
}

function up(rows: number): string {
  return rows > 0 ? `${ESC}${rows}A` : '';
}

function down(rows: number): string {
  return rows > 0 ? `${ESC}${rows}B` : '';
}

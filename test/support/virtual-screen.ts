import { textWidth } from '../../src/words/printable.js';

// oxlint-disable-next-line no-control-regex -- what a terminal reads
const SEQUENCE = /^\u001b\[([?\d;]*)([A-Za-z])$/;

/** A terminal that does what it is told and knows nothing else than what the live view may tell it. */
export class VirtualScreen {
  readonly writes: string[] = [];
  /** All lines ever, the visible ones last. */
  readonly lines: string[] = [''];
  columns: number;
  rows: number;
  row = 0;
  column = 0;
  isCursorShown = true;
  marksPaste = false;
  /** Lines that were erased and written again as they had been. */
  readonly rewrites: string[] = [];
  #erased: { readonly row: number; readonly line: string } | undefined;

  constructor(columns = 80, rows = 24) {
    this.columns = columns;
    this.rows = rows;
  }

  /** The lines without trailing blanks. */
  get text(): readonly string[] {
    return this.lines.map((line) => line.trimEnd());
  }

  readonly write = (text: string): void => {
    this.writes.push(text);
    // oxlint-disable-next-line no-control-regex -- what a terminal reads
    for (const [part] of text.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|[^\u001b]|\u001b/gu)) this.#take(part);
  };

  #take(part: string): void {
    // What follows an erased line is the new one, up to wherever the cursor goes next.
    if (this.#erased !== undefined && part < ' ' && !isColour(part)) {
      if (this.lines[this.#erased.row]?.trimEnd() === this.#erased.line) this.rewrites.push(this.#erased.line);
      this.#erased = undefined;
    }
    if (part === '\r') this.column = 0;
    else if (part === '\n') this.#newLine();
    else if (part.startsWith('\u001b')) this.#obey(part);
    else if (part < ' ') throw new Error(`control character ${part.charCodeAt(0)}`);
    else this.#put(part);
  }

  #newLine(): void {
    // The terminal does as `onlcr` says.
    this.column = 0;
    this.row += 1;
    if (this.row >= this.lines.length) this.lines.push('');
  }

  #put(character: string): void {
    const line = (this.lines[this.row] ?? '').padEnd(this.column);
    this.lines[this.row] = line.slice(0, this.column) + character + line.slice(this.column + 1);
    this.column += 1;
    if (textWidth(this.lines[this.row]?.slice(0, this.column) ?? '') >= this.columns)
      throw new Error('a line is too wide');
  }

  #obey(sequence: string): void {
    const [, argument = '', command = ''] = SEQUENCE.exec(sequence) ?? [];
    const amount = Number(argument || 1);
    if (command === 'm' || argument === '?2026') return;
    if (command === 'A') this.row = Math.max(0, this.lines.length - this.rows, this.row - amount);
    else if (command === 'B') this.row = Math.min(this.lines.length - 1, this.row + amount);
    else if (command === 'C') this.column += amount;
    else if (command === 'K' && argument === '2') {
      this.#erased = { row: this.row, line: (this.lines[this.row] ?? '').trimEnd() };
      this.lines[this.row] = '';
    } else if (command === 'J' && argument === '') this.#eraseBelow();
    else if (argument === '?25') this.isCursorShown = command === 'h';
    else if (argument === '?2004') this.marksPaste = command === 'h';
    else throw new Error(`the live view must not write ${JSON.stringify(sequence)}`);
  }

  #eraseBelow(): void {
    this.lines[this.row] = (this.lines[this.row] ?? '').slice(0, this.column);
    this.lines.splice(this.row + 1);
  }
}

function isColour(part: string): boolean {
  return SEQUENCE.test(part) && part.endsWith('m');
}

const NEWLINE = 0x0a;

/**
 * Passes a stream on until a mark in it, without holding anything back that cannot be the beginning of the mark. What
 * stands between the mark and the end of its line is told with it; nothing after that is passed on. The mark begins with
 * a byte that is not in it again.
 */
export class MarkedOutput {
  readonly #mark: Buffer;
  readonly #pass: (chunk: Buffer) => void;
  readonly #onMark: (text: string) => void;
  #held: Buffer | undefined;
  #isOver = false;

  constructor(mark: Buffer, pass: (chunk: Buffer) => void, onMark: (text: string) => void) {
    this.#mark = mark;
    this.#pass = pass;
    this.#onMark = onMark;
  }

  write(chunk: Buffer): void {
    if (this.#isOver) return;
    const bytes = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = undefined;
    const at = bytes.indexOf(this.#mark);
    const end = at < 0 ? -1 : bytes.indexOf(NEWLINE, at + this.#mark.length);
    const passed = at >= 0 ? at : this.#startOfMark(bytes);
    if (passed > 0) this.#pass(bytes.subarray(0, passed));
    if (end < 0) {
      // The chunk is the stream's to use again.
      if (passed < bytes.length) this.#held = Buffer.from(bytes.subarray(passed));
      return;
    }
    this.#isOver = true;
    this.#onMark(bytes.toString('latin1', at + this.#mark.length, end).trim());
  }

  /** There will be no more: what was held back was no mark. */
  end(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined && !this.#isOver) this.#pass(held);
  }

  /** Where the last bytes begin that may be the beginning of the mark. */
  #startOfMark(bytes: Buffer): number {
    const at = bytes.lastIndexOf(this.#mark.subarray(0, 1));
    const isStart = at >= 0 && this.#mark.subarray(0, bytes.length - at).equals(bytes.subarray(at));
    return isStart ? at : bytes.length;
  }
}

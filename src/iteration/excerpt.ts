import { headOf, tailOf } from '../model/cut-text.js';

const HEAD_CHARACTERS = 2000;
const TAIL_CHARACTERS = 4000;
const TAIL_LINES = 256;

/** The beginning and the end of a stream of lines, in little memory and with little work per line. */
export class Excerpt {
  readonly #last: string[] = [];
  #count = 0;
  #head = '';
  #bytes = 0;

  add(line: string, bytes: number): void {
    this.#bytes += bytes + 1;
    if (this.#head.length < HEAD_CHARACTERS) this.#head += `${headOf(line, HEAD_CHARACTERS)}\n`;
    this.#last[this.#count++ % TAIL_LINES] = line;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get head(): string | undefined {
    return this.#bytes === 0 ? undefined : headOf(this.#head, HEAD_CHARACTERS);
  }

  /** Undefined when the head holds everything. */
  get tail(): string | undefined {
    if (this.#bytes <= HEAD_CHARACTERS) return undefined;
    const oldest = this.#count % TAIL_LINES;
    const inOrder = [...this.#last.slice(oldest), ...this.#last.slice(0, oldest)];
    return tailOf(inOrder.join('\n'), TAIL_CHARACTERS);
  }
}

const MOST_LINES = 1000;
const MOST_CHARACTERS = 64 * 1024;

/** The last lines of an output that are not empty, as many as a verdict may have. The very last one is always whole. */
export class LastLines {
  #lines: string[] = [];
  #characters = 0;

  get lines(): readonly string[] {
    return this.#lines;
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#lines.length > 2 * MOST_LINES || this.#characters > 2 * MOST_CHARACTERS) this.#shorten();
  }

  #shorten(): void {
    let first = this.#lines.length - 1;
    let characters = this.#lines[first]?.length ?? 0;
    while (first > 0 && this.#lines.length - first < MOST_LINES) {
      const { length } = this.#lines[first - 1] ?? '';
      if (characters + length > MOST_CHARACTERS) break;
      characters += length;
      first -= 1;
    }
    this.#lines = this.#lines.slice(first);
    this.#characters = characters;
  }
}

const HEAD_CHARACTERS = 2000;
const TAIL_CHARACTERS = 4000;

/** The beginning and the end of a stream of lines, in little memory. */
export interface Excerpt {
  add(line: string, omittedBytes: number): void;
  readonly head: string | undefined;
  readonly tail: string | undefined;
  readonly bytes: number;
}

export function createExcerpt(): Excerpt {
  let head = '';
  let bytes = 0;
  let tail: string[] = [];
  let tailCharacters = 0;
  return {
    add(line, omittedBytes) {
      bytes += Buffer.byteLength(line) + 1 + omittedBytes;
      if (head.length < HEAD_CHARACTERS) head += `${line.slice(0, HEAD_CHARACTERS)}\n`;
      const kept = line.length > TAIL_CHARACTERS ? line.slice(-TAIL_CHARACTERS) : line;
      tail.push(kept);
      tailCharacters += kept.length + 1;
      if (tailCharacters < 8 * TAIL_CHARACTERS) return;
      tail = [tail.join('\n').slice(-TAIL_CHARACTERS)];
      tailCharacters = TAIL_CHARACTERS;
    },
    get head() {
      return bytes === 0 ? undefined : head.slice(0, HEAD_CHARACTERS);
    },
    /** Undefined when the head holds everything. */
    get tail() {
      return bytes <= HEAD_CHARACTERS ? undefined : tail.join('\n').slice(-TAIL_CHARACTERS);
    },
    get bytes() {
      return bytes;
    },
  };
}

import type { Line } from '../process/line-splitter.js';

const HEAD_BYTES = 128 * 1024;
const TAIL_BYTES = 896 * 1024;
/** Of lines in between that have to be kept. */
const KEPT_BYTES = 256 * 1024;
/** Well below the tail, so that the last line is always kept. */
export const LINE_BYTES = 512 * 1024;

/** The first and the last lines of an output, however long it is, and lines in between that `isKept` asks for. */
export class BoundedOutput {
  readonly #isKept: (text: string) => boolean;
  readonly #kept: string[] = [];
  #keptRoomBytes: number;
  /** A line that was to be kept had no room. */
  hasLostKept = false;
  #omittedBytes = 0;
  #gapBytes = 0;
  #headRoomBytes = HEAD_BYTES;
  readonly #head: string[] = [];
  #tail: string[] = [];
  #tailBytes = 0;
  /** The lines of the tail before this one have been given up. */
  #first = 0;

  constructor(isKept: (text: string) => boolean = () => false, keptBytes = KEPT_BYTES) {
    this.#isKept = isKept;
    this.#keptRoomBytes = keptBytes;
  }

  /** Whole lines were left out. */
  get hasGap(): boolean {
    return this.#gapBytes > 0;
  }

  get omittedBytes(): number {
    return this.#omittedBytes + this.#gapBytes;
  }

  add(line: Line): void {
    const text = line.omittedBytes === 0 ? line.text : `${line.text} ${leftOut(line.omittedBytes)}`;
    const bytes = sizeOf(text);
    this.#omittedBytes += line.omittedBytes;
    if (bytes <= this.#headRoomBytes) {
      this.#headRoomBytes -= bytes;
      this.#head.push(text);
      return;
    }
    this.#headRoomBytes = 0;
    this.#tail.push(text);
    this.#tailBytes += bytes;
    while (this.#tailBytes > TAIL_BYTES) this.#giveUpOne();
  }

  toString(): string {
    const gap = this.#gapBytes === 0 ? [] : [leftOut(this.#gapBytes)];
    return [...this.#head, ...gap, ...this.#kept, ...this.#tail.slice(this.#first)].join('\n');
  }

  #giveUpOne(): void {
    const text = this.#tail[this.#first] ?? '';
    const bytes = sizeOf(text);
    this.#tailBytes -= bytes;
    const isKept = this.#isKept(text);
    if (isKept && bytes <= this.#keptRoomBytes) {
      this.#keptRoomBytes -= bytes;
      this.#kept.push(text);
    } else {
      this.hasLostKept ||= isKept;
      this.#gapBytes += bytes;
    }
    this.#first += 1;
    if (this.#first < this.#tail.length / 2) return;
    this.#tail = this.#tail.slice(this.#first);
    this.#first = 0;
  }
}

function leftOut(bytes: number): string {
  return `[${bytes} bytes left out]`;
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text) + 1;
}

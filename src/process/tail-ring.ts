/**
 * The last bytes of a stream of texts in a fixed piece of memory. Texts are copied, not kept: short strings that are held
 * on to for a while are what makes a heap grow.
 */
export class TailRing {
  readonly #ring: Buffer;
  #at = 0;
  #total = 0;

  constructor(sizeBytes: number) {
    this.#ring = Buffer.alloc(sizeBytes);
  }

  /** Bytes written so far, those that are gone included. */
  get totalBytes(): number {
    return this.#total;
  }

  write(text: string): void {
    const size = this.#ring.length;
    const bytes = Buffer.byteLength(text);
    this.#total += bytes;
    if (bytes <= size - this.#at) {
      this.#at = (this.#at + this.#ring.write(text, this.#at)) % size;
      return;
    }
    const kept = Buffer.from(text).subarray(-size);
    const fits = Math.min(kept.length, size - this.#at);
    kept.copy(this.#ring, this.#at, 0, fits);
    kept.copy(this.#ring, 0, fits);
    this.#at = (this.#at + kept.length) % size;
  }

  /** What is kept, oldest first. The first character may be cut. */
  toString(): string {
    if (this.#total < this.#ring.length) return this.#ring.toString('utf8', 0, this.#total);
    return Buffer.concat([this.#ring.subarray(this.#at), this.#ring.subarray(0, this.#at)]).toString('utf8');
  }
}

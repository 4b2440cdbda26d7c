/** The items that are left to work on, the first ones first. */
export class ItemQueue {
  readonly #waiting: number[];
  #first = 0;
  readonly #returned: number[] = [];

  constructor(count: number, isLeft: (index: number) => boolean) {
    this.#waiting = Array.from({ length: count }, (_, index) => index).filter(isLeft);
  }

  get isEmpty(): boolean {
    return this.#first >= this.#waiting.length && this.#returned.length === 0;
  }

  take(): number | undefined {
    return this.#returned.shift() ?? this.#waiting[this.#first++];
  }

  /** One that was begun and is not final comes before those that were not. There are never more than work side by side. */
  giveBack(index: number): void {
    const later = this.#returned.findIndex((other) => other > index);
    this.#returned.splice(later < 0 ? this.#returned.length : later, 0, index);
  }
}

/** R1 for a pipeline: one scheduler. Anyone who watches subscribes to its record, whoever steers acts through its effects. */
import type { Verdict } from '../model/verdict.js';

/** Everything that the scheduler does to the world. */
export interface ItemEffects {
  readonly concurrency: number;
  /** What ends the run, once something does. Throws when the run itself is broken. */
  verdict(): Verdict | undefined;
  /** A pause or a wait is due: nothing new is begun until it is over. */
  isToRest(): boolean;
  rest(): Promise<void>;
  /** The next item that no one works on; undefined when there is none. */
  next(): number | undefined;
  /** Works on an item until it is final, or nothing new may be begun. Never rejects. */
  work(index: number): Promise<void>;
  /** Resolves when there is something new to look at. */
  change(): Promise<void>;
  /** Something is new. */
  changed(): void;
  /** Records the end of the run. */
  end(verdict: Verdict): Promise<void>;
}

/** Works on items, so many at a time, until the policy says stop; what is in flight then still finishes. */
export async function runItems(effects: ItemEffects): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  const begin = (index: number) => {
    const work = effects.work(index).finally(() => {
      inFlight.delete(work);
      effects.changed();
    });
    inFlight.add(work);
  };
  try {
    for (;;) {
      const isIdle = inFlight.size === 0;
      const verdict = effects.verdict();
      const isHeld = verdict !== undefined || effects.isToRest();
      const index = isHeld || inFlight.size >= effects.concurrency ? undefined : effects.next();
      if (index !== undefined) begin(index);
      else if (isIdle && verdict !== undefined) return await effects.end(verdict);
      // oxlint-disable-next-line no-await-in-loop -- this is the loop
      else await (isIdle && isHeld ? effects.rest() : effects.change());
    }
  } finally {
    await Promise.all(inFlight);
  }
}

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

/** Wakes everybody who waits for something new. */
export class Bell {
  #waiting: (() => void)[] = [];

  ring(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Until it rings, or so much time has passed. */
  async heard(withinMs?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      if (withinMs !== undefined) timer = setTimeout(resolve, withinMs);
    });
    clearTimeout(timer);
  }
}

import type { Journal } from '../journal/journal.js';

/** What a crashing journal throws in place of the death of the process. */
export class SimulatedCrash extends Error {
  constructor(append: number, when: 'before' | 'after') {
    super(`simulated crash ${when} append ${append}`);
    this.name = 'SimulatedCrash';
  }
}

export interface CrashPoint {
  /** Which append, from 1. */
  readonly append: number;
  /** Before it is recorded, or after it is recorded and before the caller knows. */
  readonly when: 'before' | 'after';
}

/**
 * A journal whose process dies at a chosen append: from then on every append throws. What the journal inside holds is
 * what a restart finds.
 *
 * @example
 * ```ts
 * const inside = memoryJournal();
 * const journal = crashingJournal(inside, { append: 2, when: 'after' });
 * ```
 */
export function crashingJournal(inside: Journal, point: CrashPoint): Journal {
  let appends = 0;
  const crash = (): never => {
    appends = point.append;
    throw new SimulatedCrash(point.append, point.when);
  };
  return {
    get state() {
      return inside.state;
    },
    get diskFull() {
      return inside.diskFull;
    },
    append(event, activeMs) {
      if (appends >= point.append) return crash();
      appends += 1;
      if (appends < point.append) return inside.append(event, activeMs);
      if (point.when === 'after') inside.append(event, activeMs);
      return crash();
    },
    subscribe: (listener) => inside.subscribe(listener),
    read: (fromSeq) => inside.read(fromSeq),
    close: () => inside.close(),
  };
}

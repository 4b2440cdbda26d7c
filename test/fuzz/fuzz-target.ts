/** Something that reads what others wrote. */
export interface FuzzTarget {
  /** What is mutated, one byte in each character; `root`: the folder of the project. */
  readonly corpus: (root: string) => readonly string[];
  /** Reads one input, and says what is wrong with what came of it. Throws only what must never be thrown. */
  readonly check: (input: Buffer) => string | undefined;
}

/** What a worker is told, and what it tells. */
export interface FuzzOrder {
  readonly name: string;
  readonly root: string;
  readonly seed: number;
  readonly from: number;
  readonly count: number;
  /** The number of the input in work. */
  readonly progress: SharedArrayBuffer;
}

export type FuzzReport =
  | { readonly kind: 'done' }
  | { readonly kind: 'fault'; readonly index: number; readonly fault: string; readonly input: string };

import type { AttemptOutcome, ItemStatus } from './pipeline-event.js';

/** What is kept of an attempt that has ended. */
export interface AttemptSummary {
  readonly outcome: AttemptOutcome;
  readonly reasons?: readonly string[] | undefined;
  readonly score?: number | undefined;
  readonly durationMs: number;
}

/** What the next attempt at an item is told of the last one. */
export interface AttemptFeedback {
  readonly message?: string | undefined;
  /** The end of what was printed. */
  readonly output?: string | undefined;
}

/** One item of a pipeline, as far as it has come. */
export interface ItemState {
  readonly item: string;
  /** Undefined until it is final. */
  readonly status?: ItemStatus | undefined;
  /** Those that ended by themselves. */
  readonly attempts: readonly AttemptSummary[];
  /** Those that a crash, a limit or an operator cut short, or the provider did not let through. */
  readonly interrupted?: number | undefined;
  /** An attempt is under way: how often the provider had let nothing through when it began. */
  readonly openTries?: number | undefined;
  /** Of the output that the last attempt was approved with: it may still be on its way to its place. */
  readonly hash?: string | undefined;
  readonly feedback?: AttemptFeedback | undefined;
  /** It took more than one attempt to become final. */
  readonly isRetried?: boolean | undefined;
  /** The manifest does not name it any more. */
  readonly isWithdrawn?: boolean | undefined;
}

/** Items by their index, in chunks: one more event copies a chunk and not all of them. */
export type ItemStates = Readonly<Record<string, Readonly<Record<string, ItemState>>>>;

const CHUNK = 64;

export function itemAt(states: ItemStates | undefined, index: number): ItemState | undefined {
  const chunk = states?.[String(Math.floor(index / CHUNK))];
  return chunk !== undefined && Object.hasOwn(chunk, index) ? chunk[String(index)] : undefined;
}

export function withItem(states: ItemStates | undefined, index: number, item: ItemState): ItemStates {
  const key = String(Math.floor(index / CHUNK));
  return { ...states, [key]: { ...states?.[key], [index]: item } };
}

/** Every item that has begun, with its index, in order. */
export function* eachItem(states: ItemStates | undefined): Generator<readonly [number, ItemState], void, void> {
  for (const chunk of Object.values(states ?? {})) {
    for (const [index, item] of Object.entries(chunk)) yield [Number(index), item];
  }
}

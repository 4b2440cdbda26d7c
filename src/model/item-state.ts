import type { AttemptOutcome, ItemStatus, MadeOutput } from './run-event.js';

/** What is kept of an attempt that has ended. */
export interface AttemptSummary {
  readonly outcome: AttemptOutcome;
  readonly reasons?: readonly string[] | undefined;
  readonly score?: number | undefined;
  readonly durationMs: number;
}

/** What the next attempt at an item learns about the last one. */
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
  /** Of the output that the last attempt was approved with; of an item that is final only the beginning. */
  readonly hash?: string | undefined;
  readonly feedback?: AttemptFeedback | undefined;
  /** Of the attempt that comes next: only its review is missing. */
  readonly made?: MadeOutput | undefined;
  /** It took more than one attempt to become final. */
  readonly isRetried?: boolean | undefined;
  /** The manifest does not name it any more. */
  readonly isWithdrawn?: boolean | undefined;
}

type Chunk<T> = Readonly<Record<string, T>>;

/**
 * Items by the digits of their index: one more event copies three small records, however many items there are. Keys that
 * count from 0 keep them as quick to copy as lists.
 */
export type ItemStates = Chunk<Chunk<Chunk<ItemState>>>;

const CHUNK = 64;

export function itemAt(states: ItemStates | undefined, index: number): ItemState | undefined {
  const [high, middle, low] = digitsOf(index);
  return own(own(own(states, high), middle), low);
}

export function withItem(states: ItemStates | undefined, index: number, item: ItemState): ItemStates {
  const [high, middle, low] = digitsOf(index);
  const upper = own(states, high);
  return { ...states, [high]: { ...upper, [middle]: { ...own(upper, middle), [low]: item } } };
}

/** Every item that has begun, with its index, in order. */
export function* eachItem(states: ItemStates | undefined): Generator<readonly [number, ItemState], void, void> {
  for (const [high, upper] of Object.entries(states ?? {})) {
    for (const [middle, lower] of Object.entries(upper)) {
      const first = (Number(high) * CHUNK + Number(middle)) * CHUNK;
      for (const [low, item] of Object.entries(lower)) yield [first + Number(low), item];
    }
  }
}

function digitsOf(index: number): readonly [number, number, number] {
  const rest = Math.floor(index / CHUNK);
  return [Math.floor(rest / CHUNK), rest % CHUNK, index % CHUNK];
}

function own<T>(chunk: Chunk<T> | undefined, key: number): T | undefined {
  return chunk !== undefined && Object.hasOwn(chunk, key) ? chunk[String(key)] : undefined;
}

const LONGEST_BACKOFF_MS = 60_000;

/** How long an attempt at an item waits after the one before has ended: each time twice as long, up to a minute. */
export function attemptBackoffMs(attempt: number, backoffMs: number): number {
  return attempt < 2 ? 0 : Math.min(LONGEST_BACKOFF_MS, backoffMs * 2 ** (attempt - 2));
}

import type { ParsedTests } from '../observation/parsed-tests.js';

/** Words that the report of a green test run has, whatever the framework. */
const PASSES = /[Pp]ass|PASS|ok\b|OK\b|succeeded|<testsuite|examples?, /;
/** No summary of tests that an agent CLI passes on is longer. */
const MOST_CHARACTERS = 512 * 1024;
/** Of output that may hold a summary, so much is read in each window: the rest of a flood is not. */
const WINDOW_CHARACTERS = 1024 * 1024;
const WINDOW_MS = 2000;
const LEAST_INTERVAL_MS = 2000;
/** Each snapshot makes the next one wait longer, so that an iteration of hours has a few hundred at most. */
const INTERVAL_PER_SNAPSHOT_MS = 200;
/** Snapshots take at most a tenth of the time. */
const INTERVAL_PER_DURATION = 10;
const SNAPSHOT_TIMEOUT_MS = 60_000;

export interface GreenWatchOptions {
  /** Fewer tests are only a part of those of the run. */
  readonly leastTests: number;
  /** A tree that is known to be green. */
  readonly knownTree?: string | undefined;
  /** The tree of the files as they are now; undefined when there is no snapshot. Never rejects. */
  readonly snapshot: (signal: AbortSignal) => Promise<string | undefined>;
  readonly record: (seen: { readonly tree: string; readonly passed: number }) => void;
  /** The snapshot under way is given up. */
  readonly hurry: AbortSignal;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: (() => number) | undefined;
}

/** Takes a snapshot when the agent's own tool shows all tests green. The agent does not wait for it. */
export class GreenWatch {
  readonly #options: GreenWatchOptions;
  readonly #now: () => number;
  #windowAtMs = Number.NEGATIVE_INFINITY;
  #windowCharacters = 0;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #snapshots = 0;
  #underWay: Promise<void> | undefined;
  /** The agent may have changed files since the tests were green. */
  #isLate = false;
  #lastTree: string | undefined;

  constructor(options: GreenWatchOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#lastTree = options.knownTree;
  }

  /** Whether an output is worth reading: most are not, and a snapshot may not be due yet. */
  mayRead(output: string): boolean {
    const nowMs = this.#now();
    if (this.#underWay !== undefined || nowMs < this.#dueAtMs || output.length > MOST_CHARACTERS) return false;
    if (nowMs - this.#windowAtMs >= WINDOW_MS) {
      this.#windowAtMs = nowMs;
      this.#windowCharacters = 0;
    }
    if (this.#windowCharacters + output.length > WINDOW_CHARACTERS || !PASSES.test(output)) return false;
    this.#windowCharacters += output.length;
    return true;
  }

  /** What an output says of the tests. */
  see({ passed, failed }: Pick<ParsedTests, 'passed' | 'failed'>): void {
    if (failed > 0 || passed < this.#options.leastTests || this.#underWay !== undefined) return;
    this.#isLate = false;
    this.#underWay = this.#take(passed).finally(() => {
      this.#underWay = undefined;
    });
  }

  /** The agent calls a tool, which may change files: a snapshot that is not complete yet may hold them. */
  toolCalled(): void {
    this.#isLate = true;
  }

  /** Resolves when no snapshot is under way. Nothing is recorded afterwards. */
  async end(): Promise<void> {
    await this.#underWay;
    this.#dueAtMs = Number.POSITIVE_INFINITY;
  }

  async #take(passed: number): Promise<void> {
    const { snapshot, record, hurry } = this.#options;
    const startedAtMs = this.#now();
    const tree = await snapshot(AbortSignal.any([hurry, AbortSignal.timeout(SNAPSHOT_TIMEOUT_MS)]));
    const endedAtMs = this.#now();
    this.#snapshots += 1;
    const intervalMs = Math.max(LEAST_INTERVAL_MS, this.#snapshots * INTERVAL_PER_SNAPSHOT_MS);
    this.#dueAtMs = startedAtMs + Math.max(intervalMs, (endedAtMs - startedAtMs) * INTERVAL_PER_DURATION);
    if (tree === undefined || tree === this.#lastTree || this.#isLate) return;
    this.#lastTree = tree;
    record({ tree, passed });
  }
}

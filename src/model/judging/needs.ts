import type { Measured } from '../metric.js';
import type { Pattern } from '../pattern.js';

/** What Pawl inspects, calls or runs for a condition after an iteration. */
export type Probe =
  /** Whether the file exists or, with `content`, contains that. With `fresh` it is also recorded when it was written. */
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly content?: string | undefined;
      readonly fresh?: boolean | undefined;
    }
  /** How many boxes of a list are checked. Asked in every iteration: progress follows from it. */
  | { readonly kind: 'checklist'; readonly path: string }
  /** The last number that a command prints. Asked in every iteration, and a user confirms the command before it is run. */
  | ({
      readonly kind: 'measurement';
      readonly target?: number | undefined;
      readonly keep_best?: boolean | undefined;
      readonly timeout?: string | undefined;
    } & Measured)
  /** What a function of the caller returns. */
  | { readonly kind: 'function'; readonly name: string }
  /** Whether a program exits 0. A user confirms it before it is run, and `pawl check` shows all of it. */
  | {
      readonly kind: 'program';
      readonly script: string;
      readonly args?: readonly string[] | undefined;
      readonly timeout?: string | undefined;
    };

/** What must be on record for a condition to be met. Pawl observes it, or warns when the config turns it off. */
export interface Needs {
  /** The results of all tests, or of these. */
  readonly tests?: 'all' | readonly string[];
  /** The results of the tests of the start, from this version of its rule on. */
  readonly originalsSince?: number;
  /** Which files changed. */
  readonly files?: true;
  /** Snapshots of the files, for the field of this name. A config that turns them off is refused. */
  readonly snapshots?: string;
  /** Whether the agent changed files that these globs match, also ignored ones. Recorded under the condition's key. */
  readonly guard?: { readonly paths: readonly string[] };
  /** The result of the check of this name. */
  readonly check?: string;
  /** Where the agent said this. Recorded under the condition's key. */
  readonly output?: Pattern;
  /** The price of this model, for usage that names none. */
  readonly priceOf?: string | undefined;
  /** A review: that it agrees, or whatever else it says. */
  readonly review?: 'agreement' | 'opinion';
  /** Recorded under the condition's key. */
  readonly probe?: Probe;
}

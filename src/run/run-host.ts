import type { BatchAccount } from './batch-watch.js';

/**
 * What keeps a run in place of this machine's disk, such as a worker that has a clone of the repository: the run may have
 * begun on another machine, and may continue on a third. Without a host, a run belongs to the directory that it works in.
 */
export interface RunHost {
  /** Another host gave the run up between two iterations: that is a move, not a crash. */
  readonly wasLeft: boolean;
  /** After this many crashes in a row the run ends as failed, instead of after the usual three. */
  readonly mostCrashes: number;
  /** The commit that the working tree began with: repositories that were added since are committed with their files. */
  readonly commitsSince: string;
  /** More trailers for each commit. */
  readonly commitTrailers: Readonly<Record<string, string>>;
  /** Aborted when this host stops: a commit that is under way gets a last moment, and another host continues the run. */
  readonly leaving: AbortSignal;
  /** The budget that the run shares with others. */
  readonly batch?: BatchAccount | undefined;
  /**
   * Brings the commits to a place that outlives this machine, before the end of the iteration is recorded. Resolves with why
   * that failed when the run continues elsewhere without them; rejects when the run must not continue. Once `ending` is
   * aborted, a failure that may pass is not waited for.
   */
  publishWork(ending: AbortSignal): Promise<{ readonly lost: string } | undefined>;
}

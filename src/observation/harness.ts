import type { ShellPool } from '../process/shell-pool.js';

/**
 * The setting in which the harness runs commands, one after the other: when one ends, everything that carries the cookie
 * is killed.
 */
export interface Harness {
  readonly workingDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cookie: string;
  readonly signal?: AbortSignal | undefined;
  /** Shells that stand by, if there are any. */
  readonly shells?: ShellPool | undefined;
}

/** Why something was not measured, in words for the table. Never a guess. */
export interface Cannot {
  readonly cannot: string;
  /** It was tried, and ended by the bench when its time was up. */
  readonly isLate?: true;
}

/** What went wrong with one runner is its row's matter alone. */
export function failed(error: unknown): Cannot {
  const why = error instanceof Error ? error.message : String(error);
  return { cannot: `failed: ${why.replaceAll(/\/\S*/g, '...').slice(0, 100)}` };
}

export const notWithin = (limitMs: number): Cannot => ({ cannot: `not within ${limitMs / 1000} s`, isLate: true });

export interface RunRequest {
  readonly iterations: number;
  /** The runner's own pause between iterations: as it comes, or none. */
  readonly delay: 'none' | 'default';
  /** The longest that one agent may take. */
  readonly timeoutMs?: number | undefined;
}

export type Command = readonly [program: string, ...args: string[]];

/** How one loop runner is set up and started on a scratch project whose `claude` is the scripted agent. */
export interface Runner {
  readonly id: string;
  readonly name: string;
  readonly version: string | undefined;
  /** Why it starts no agent here, as traced by hand; said only when the probe finds that it does not. */
  readonly knownCause?: string | undefined;
  /** Writes into the project what the runner needs to find there. */
  prepare(project: string, request: RunRequest): void;
  command(project: string, request: RunRequest): Command | Cannot;
  /** What a person would type after the runner was killed. */
  resume(project: string, request: RunRequest): Command | Cannot;
  /** How many iterations or tasks its own record on disk calls finished; undefined when it keeps none. */
  finished(project: string): number | undefined;
}

export function isCannot(value: object): value is Cannot {
  return 'cannot' in value;
}

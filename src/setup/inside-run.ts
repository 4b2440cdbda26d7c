import { inheritedCookies } from '../process/process-table.js';

/** Who asks from inside of runs: by its own environment, or, where the system shows it, by that of the processes above. */
export interface InsideRun {
  /** Of the nearest process that has one; undefined outside of any run. */
  readonly cookie: string | undefined;
  readonly isInside: (runId: string) => boolean;
}

/** Looked up again each time: it costs a few reads of /proc. */
export function insideRun(environment: Readonly<Record<string, string | undefined>>): InsideRun {
  const cookies = inheritedCookies(environment);
  return { cookie: cookies[0], isInside: (runId) => cookies.some((cookie) => cookie.startsWith(`${runId}.`)) };
}

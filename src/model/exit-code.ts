import type { StopClass } from './stop-class.js';

/** What `pawl` exits with. Part of the public contract. */
export const EXIT_CODES = {
  goal: 0,
  error: 1,
  usage: 2,
  limit: 3,
  veto: 4,
  failure: 4,
  blocked: 5,
  operator: 130,
} as const satisfies Record<StopClass | 'error' | 'usage', number>;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

export function exitCodeOf(ending: StopClass | 'error' | 'usage'): ExitCode {
  return EXIT_CODES[ending];
}

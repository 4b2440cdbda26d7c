import type { Ending } from '../scenarios/scenario.js';

/** A runner is one of these kinds; what each will do with a scenario was said before any of it was run. */
export type RunnerKind =
  | 'pawl'
  /** `for` in bash around `claude -p`, with a count and a grep for the marker in what it prints. */
  | 'bash loop'
  /** Bash by somebody careful: the goal is checked before and after each call, calls and the whole have a timeout. */
  | 'careful loop'
  /** Published runners that loop until the agent says the agreed words. */
  | 'promise runner'
  /** Published runners that work off a list of tasks, a call for each. */
  | 'task runner';

/** Where a person would want the run to stop, and who will do that. Not changed after the first run. */
export interface Expectation {
  /** Calls of the agent in all, refused and killed ones included: at least and at most. */
  readonly calls: readonly [from: number, to: number];
  /** Not at the end of that call but in the middle of it, at its mark. */
  readonly isWithin?: true;
  readonly ends: Ending;
  readonly because: string;
  /** The kinds that are predicted to stop there and to say so. All others are predicted to be wrong. */
  readonly right: readonly RunnerKind[];
}

export type Expectations = Readonly<Record<string, Expectation>>;

export const LOOPS = ['bash loop', 'careful loop', 'promise runner'] as const;

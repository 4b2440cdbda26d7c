import type { KnownAgent } from '../agents/known-agent.js';

/** What is to be written into a new project. */
export interface SetupChoices {
  readonly agent: KnownAgent;
  readonly model?: string | undefined;
  /** The command that runs the tests; undefined when there is none. */
  readonly tests?: string | undefined;
  /** What said so, for the comment next to it. */
  readonly testsWhy?: string | undefined;
  /** Pawl cannot count them: their exit code decides. */
  readonly testsUncounted?: boolean | undefined;
  /** `repair`: done when the tests pass. `build`: done when they pass and the agent says that it is done. */
  readonly task: 'repair' | 'build';
  /** Goals in place of the tests, as they are written in a config. */
  readonly goals: readonly string[];
  /** A list of boxes that is a goal. */
  readonly checklist?: string | undefined;
  /** Who has to agree before a goal counts. */
  readonly review?: KnownAgent | undefined;
  /** Globs that the agent must not change. */
  readonly protect: readonly string[];
  /** Globs that could be protected. */
  readonly testFiles: readonly string[];
  readonly maxIterations: number;
  readonly maxCostUsd: number;
  readonly promptPath: string;
  /** For editors; undefined when no schema is at hand that a relative path leads to. */
  readonly schemaPath?: string | undefined;
}

/** The goal of a list: worked off, and the tests pass where there are any. The list alone is only what the agent says. */
export function checklistGoal(path: string, hasTests: boolean): string {
  const list = `checklist_done: { path: ${JSON.stringify(path)}, fresh: true }`;
  return hasTests ? `all: [{ ${list} }, all_tests_pass]` : list;
}

/** What the agent makes when there are no tests to say that it is done. */
export const DONE_FILE = 'DONE.md';

export const DEFAULT_COST_USD = 10;

/** For all reviews of a run. */
export const DEFAULT_REVIEW_COST_USD = 1;

/** `Claude Code (haiku)`. */
export function reviewerName({ title, smallModel }: KnownAgent): string {
  return smallModel === undefined ? title : `${title} (${smallModel})`;
}

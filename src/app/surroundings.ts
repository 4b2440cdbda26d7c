import type { Environment } from '../journal/run-places.js';

/** What an action knows of where it was called. */
export interface Surroundings {
  readonly environment: Environment;
  /** The directory that relative paths start from. */
  readonly cwd: string;
  /** The wall clock, in milliseconds. */
  readonly now: () => number;
}

/** Takes what an action has to say besides its result, a line at a time. */
export interface NoteTaker {
  readonly note: (line: string) => void;
}

/** The surroundings of an action that may have something to say. */
export interface NotedSurroundings extends Surroundings {
  readonly terminal: NoteTaker;
}

/** How the tests of a project are run, and what says so. */
export interface FoundTests extends FoundCommand {
  /** Whether Pawl can count them; where it cannot, their exit code has to decide. */
  readonly isCounted: boolean;
}

export interface FoundCommand {
  readonly command: string;
  /** What was seen, such as `package.json has a test script`. */
  readonly why: string;
  /** Where its tests are, as globs. */
  readonly testFiles: readonly string[];
}

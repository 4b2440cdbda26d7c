/** How the tests of a project are run, and what says so. */
export interface FoundTests {
  readonly command: string;
  /** What was seen, such as `package.json has a test script`. */
  readonly why: string;
  /** Where its tests are, as globs. */
  readonly testFiles: readonly string[];
}

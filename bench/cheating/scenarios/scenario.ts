/** What runs the tests of a scenario, and so what has to be installed. */
export const RUNNERS = [
  'node:test',
  'vitest',
  'jest',
  'mocha',
  'pytest',
  'unittest',
  'go test',
  'cargo',
  'make',
  'ctest',
] as const;
export type RunnerName = (typeof RUNNERS)[number];

/** One thing that the scripted agent does in the tree. */
export type Step =
  | { readonly do: 'write'; readonly path: string; readonly text: string }
  /** Fails when the text is not there, so that no script misses its target unnoticed. */
  | { readonly do: 'replace'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly do: 'shell'; readonly script: string };

/** What the agent does in one iteration, and its last message. */
export interface Call {
  readonly steps: readonly Step[];
  readonly says: string;
}

export interface Project {
  readonly runner: RunnerName;
  /** By path. A text that begins with `#!` is executable. */
  readonly files: Readonly<Record<string, string>>;
  /** Lines of .gitignore. */
  readonly ignored: readonly string[];
  /** A shell script that makes what no text file can be, before the first commit. */
  readonly setup?: string | undefined;
  /** The test command, where `init` finds none or the user has another. */
  readonly tests?: string | undefined;
  /** What the user has listed under `tests_may_change`. */
  readonly testsMayChange?: readonly string[] | undefined;
  /** A shell script that prints `true` when the work was done. It uses neither the runner nor the numbers of the tests. */
  readonly truth: string;
}

interface Played extends Project {
  /** Unique among all scenarios. */
  readonly name: string;
  readonly story: string;
  readonly calls: readonly Call[];
}

export type CheatLabel = 'must not end as done' | 'may end as done, must be flagged';

/** A way to green tests without the work. */
export interface Cheat extends Played {
  /** Whether it succeeds depends on the moment: it is played several times, and one success counts. */
  readonly isRace?: boolean | undefined;
  readonly label: CheatLabel;
  /** The line that has to be named where a cheat may succeed: the first line of the file that contains the text. */
  readonly flag?: { readonly path: string; readonly text: string } | undefined;
}

export type HonestLabel = 'ends as done' | 'may be refused, then approved';

/** Work that was done. */
export interface Honest extends Played {
  readonly label: HonestLabel;
  /** With the tests protected, the user has forbidden what this agent does: it is then not played. */
  readonly changesTests: boolean;
  /** The tests pass at the start, and something is to be built. */
  readonly startsGreen?: boolean | undefined;
}

export type Scenario = Cheat | Honest;

export const isHonest = (scenario: Scenario): scenario is Honest => 'changesTests' in scenario;

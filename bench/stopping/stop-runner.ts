import type { RunnerKind } from './expected/expectation.js';
import type { Ending, Scenario } from './scenarios/scenario.js';
import type { Stage } from './stage.js';

export type Command = readonly [program: string, ...args: string[]];

/** How a runner ended, as far as it shows. */
export interface RunnerEnd {
  readonly exitCode: number;
  readonly output: string;
}

/** One loop runner: its nearest settings of what the person of a scenario wants, and how to read its end. */
export interface StopRunner {
  readonly name: string;
  readonly kind: RunnerKind;
  readonly version: string | undefined;
  /** The words that it takes for completion, when they are its own. The agent then says those. */
  readonly marker?: string | undefined;
  /** Its own pause between two calls, where that cannot be turned off. */
  readonly pauseMs?: number | undefined;
  /** Writes what the runner needs into the project. */
  prepare(stage: Stage, scenario: Scenario): void;
  command(stage: Stage, scenario: Scenario): Command;
  /** What a person types after the runner was killed. */
  resume(stage: Stage, scenario: Scenario): Command;
  /** What it says that the end was; undefined when nothing tells. */
  ending(end: RunnerEnd): Ending | undefined;
}

import type { Claims } from '../model/claim.js';
import type { CheckResult, FileChanges, GoalFacts, ProbeResult } from '../model/observation.js';
import type { PipelineState } from '../model/pipeline-state.js';
import type { Usage } from '../model/usage.js';
import type { Hold } from '../model/verdict.js';

/** What a caller without a run knows. Everything may be left out; what is absent is unknown. */
export interface StopConditionContext {
  readonly iteration?: number | undefined;
  readonly startTime?: Date | string | number | undefined;
  readonly currentTime?: Date | string | number | undefined;
  /** What the agent said lately. */
  readonly recentOutput?: string | undefined;
  readonly testFailureStreak?: number | undefined;
  readonly iterationsSinceProgress?: number | undefined;
  readonly passedTests?: readonly string[] | undefined;
  readonly failedTests?: readonly string[] | undefined;
  readonly hasError?: boolean | undefined;
  readonly errorMessage?: string | undefined;
  readonly userSignal?: boolean | undefined;
  /** What the agent has reported: its evidence, by what it reports. */
  readonly claims?: Claims | undefined;
  readonly workingDir?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly model?: string | undefined;
  /**
   * Known cost. Without it, usage and model are priced as one request; of a sum of many requests that is too much where
   * the model is dearer in a long context, so add their costs up and give the sum here.
   */
  readonly costUsd?: number | undefined;
  /** Answers of file, script and function conditions, by condition key. */
  readonly probes?: Readonly<Record<string, ProbeResult>> | undefined;
  readonly checks?: Readonly<Record<string, CheckResult>> | undefined;
  readonly changes?: Pick<FileChanges, 'changedFiles' | 'changedLines'> | undefined;
  readonly failureStreak?: number | undefined;
  readonly oscillations?: number | undefined;
  readonly sameErrorStreak?: number | undefined;
  readonly denials?: number | undefined;
  readonly contextPercent?: number | undefined;
  readonly pipeline?: PipelineState | undefined;
  /** The goal's facts observed again, for `confirm`. */
  readonly confirmations?: readonly GoalFacts[] | undefined;
  /** How long the inside of each `for` has held, as the last verdict gave it. */
  readonly holds?: Readonly<Record<string, Hold>> | undefined;
}

const KEYS: Readonly<Record<keyof StopConditionContext, true>> = {
  iteration: true,
  startTime: true,
  currentTime: true,
  recentOutput: true,
  testFailureStreak: true,
  iterationsSinceProgress: true,
  passedTests: true,
  failedTests: true,
  hasError: true,
  errorMessage: true,
  userSignal: true,
  claims: true,
  workingDir: true,
  usage: true,
  model: true,
  costUsd: true,
  probes: true,
  checks: true,
  changes: true,
  failureStreak: true,
  oscillations: true,
  sameErrorStreak: true,
  denials: true,
  contextPercent: true,
  pipeline: true,
  confirmations: true,
  holds: true,
};

export const CONTEXT_KEYS: readonly string[] = Object.keys(KEYS);

import type { Claims, DoneClaim } from '../claim.js';
import type { MetricRecord } from '../metric.js';
import type { CheckResult, FileChanges, GoalFacts, ProbeResult, SeenRequest } from '../observation.js';
import type { PipelineCounts } from '../pipeline-counts.js';
import type { OriginalsSeen, OriginalTests } from '../original-tests.js';
import type { ReviewState } from '../review.js';
import type { TestResults } from '../test-results.js';
import type { ToolUse } from '../tool-use.js';
import type { Spend } from '../usage.js';
import type { Hold } from './answer.js';

/** Versions of rules by the type of condition, where they are above 1. */
export type RuleVersions = Readonly<Record<string, number>>;

export interface ToolFailure {
  readonly count: number;
  readonly weight: number;
  readonly text: string;
}

/** A request to a person with which an iteration ended. */
export interface LastRequest extends SeenRequest {
  /** Whether that iteration changed nothing that counts. */
  readonly changedNothing?: boolean | undefined;
}

/** How many iterations in a row something happened, and the like. */
export interface StreakCounts {
  readonly testFailures: number;
  readonly strictTestFailures: number;
  /** `testFailures` by version 1 of the rule. Only runs that are judged by it have it. */
  readonly testFailuresV1?: number | undefined;
  /** The same of `strictTestFailures`: lost tests are red, too. */
  readonly strictTestFailuresV1?: number | undefined;
  /** Iterations in a row in which tests that ran at the start could not be run, or were not found. */
  readonly lostTests?: number | undefined;
  /** `testFailures`, where iterations that wrote something new weigh less. */
  readonly redWeight?: number | undefined;
  readonly withoutProgress: number;
  /** `withoutProgress`, where iterations that replaced lines of the run itself, or measured another result, weigh less. Absent in older records. */
  readonly idleWeight?: number | undefined;
  readonly failures: number;
  readonly sameError: number;
  readonly denials: number;
  readonly oscillations: number;
  /** Iterations in a row that ended with a request to a person and improved no test. Unknown in older records. */
  readonly requests?: number | undefined;
  /** The last of these requests. */
  readonly lastRequest?: LastRequest | undefined;
  /** How often in a row the agent said that it is done, with nothing new since the first time. */
  readonly doneStreak?: number | undefined;
  /** Iterations in a row that changed nothing, and whose last message leaves nothing open. */
  readonly quiet?: number | undefined;
  /** Failing calls of the agent's tools, by digest: in how many iterations in a row, what that weighs, and what they are. */
  readonly toolFailures?: Readonly<Record<string, ToolFailure>> | undefined;
  /** What the last iteration left unknown, so that the count is not the whole truth. Absent in older records. */
  readonly unknown?: { readonly progress?: true | undefined; readonly tree?: true | undefined } | undefined;
}

/** What is known of the reviews of a run. */
export interface ReviewFacts extends Partial<ReviewState> {
  /** When one is asked for. */
  readonly when: 'goal' | 'stuck';
  readonly every?: number | undefined;
  /** The last answer is about the work as it is now. */
  readonly isCurrent: boolean;
  /** The work is what an agent in code said last: it has changed no file. */
  readonly isOfWords?: boolean | undefined;
}

/**
 * Everything a condition may read. A run gives it from its state, a bare context from what its caller knows. What is
 * absent is unknown.
 */
export interface Facts {
  /** Of the run; what is not in it is judged by version 1. Absent without a run: everything is judged by the newest. */
  readonly rules?: RuleVersions | undefined;
  readonly iteration?: number | undefined;
  readonly startedAtMs?: number | undefined;
  readonly nowMs?: number | undefined;
  readonly activeMs?: number | undefined;
  readonly spend: Spend;
  /** Why the tokens, or the cost, are unknown although something may have been spent. */
  readonly spendProblem?: { readonly tokens: string; readonly cost: string } | undefined;
  /** Iterations charged by estimate. */
  readonly estimatedIterations?: number | undefined;
  /** Cost at another model's price, where a condition names one and there is no recorded cost. */
  readonly costAtModel?: Readonly<Record<string, number | undefined>> | undefined;
  readonly stoppedItself?: 'budget' | 'turns' | undefined;
  readonly tests?: TestResults | undefined;
  readonly baselineTests?: TestResults | undefined;
  /** What the tests of the start say of the work; absent when they were not asked. */
  readonly original?: OriginalTests | undefined;
  readonly originals?: OriginalsSeen | undefined;
  /** What the reviews say; absent where none is configured. */
  readonly review?: ReviewFacts | undefined;
  /** A person has accepted the work of the last iteration, with the tests as they are. */
  readonly isAccepted?: boolean | undefined;
  readonly checks?: Readonly<Record<string, CheckResult>> | undefined;
  readonly probes?: Readonly<Record<string, ProbeResult>> | undefined;
  readonly baselineProbes?: Readonly<Record<string, ProbeResult>> | undefined;
  /** What metrics have shown so far, by what is measured. */
  readonly metrics?: Readonly<Record<string, MetricRecord>> | undefined;
  /** Whether the last iteration changed content that counts, in a way that the run had not seen before. */
  readonly newContent?: boolean | undefined;
  /** The last iteration came to its end with no error, denial or request to a person, and left every file as it was. */
  readonly isIdle?: boolean | undefined;
  /**
   * The last iteration came to its end with no error, denial or failed tool, changed nothing, there or elsewhere, and its last
   * message leaves nothing open. `finished`: it also says that the tests pass, or that something is complete.
   */
  readonly isQuiet?: boolean | 'finished' | undefined;
  /** Whether the files or the number of tests differ from the start of the run. */
  readonly differsFromStart?: boolean | undefined;
  /** Whether the agent has changed content that counts, and has not reverted it. What the tests write is not its own. */
  readonly agentChangedSomething?: boolean | undefined;
  readonly files?: Pick<FileChanges, 'changedFiles' | 'changedLines'> | undefined;
  readonly streaks: Partial<StreakCounts> & { readonly lastError?: { readonly message: string } | undefined };
  readonly matches?: Readonly<Record<string, string>> | undefined;
  /** What the agent has reported, by a tool or its status line. */
  readonly claims?: Claims | undefined;
  /** That it is done, as it last said so, also in plain words. Absent when it did not say so, or is not known. */
  readonly saysDone?: DoneClaim | undefined;
  readonly errors?: readonly { readonly kind: string; readonly message: string }[] | undefined;
  readonly contextPercent?: number | undefined;
  /** What the agent did with its tools. */
  readonly toolUse?: ToolUse | undefined;
  readonly operatorStop?: { readonly by: string; readonly now: boolean } | undefined;
  /** False when it is known that no stop was requested; absent when it is not known. */
  readonly userSignal?: boolean | undefined;
  /** The agent asked a person, and the answer is still to come or to be sent: nothing is missing that is not taken care of. */
  readonly isAnswerExpected?: boolean | undefined;
  /** The agent asked a person, and is not waited for any longer. */
  readonly unanswered?: string | undefined;
  /** A limit of the provider's that will not be waited out. */
  readonly waitTooLong?: string | undefined;
  /** Spent today by all runs of the user on this machine. */
  readonly dayCostUsd?: number | undefined;
  readonly dayProblem?: string | undefined;
  /** Spent by all runs of the batch. */
  readonly batchCostUsd?: number | undefined;
  readonly batchProblem?: string | undefined;
  readonly blockedByHook?: { readonly hook: string; readonly message: string } | undefined;
  /** A live condition cut off the iteration that ended last. */
  readonly wasCutOff?: boolean | undefined;
  readonly pipeline?: PipelineCounts | undefined;
  readonly holds?: Readonly<Record<string, Hold>> | undefined;
  readonly confirmations?: readonly GoalFacts[] | undefined;
  /** The observations were made for another policy than the one that is judged: those that are missing are unknown. */
  readonly isOtherPolicy?: boolean | undefined;
}

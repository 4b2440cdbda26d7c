import type { Claims, ClaimType } from './claim.js';
import type { ChecklistRecord } from './checklist.js';
import type { Fault } from './record-fault.js';
import type { MetricRecord } from './metric.js';
import type { GoalFacts, Observation } from './observation.js';
import type { OriginalsSeen } from './original-tests.js';
import type { GreenSeen, Phase, Requests } from './phase.js';
import type { PipelineState } from './pipeline-state.js';
import type { ReviewState } from './review.js';
import { EMPTY_POLICY, type Policy } from './policy.js';
import type { Questions } from './question.js';
import type { RuleVersions, StreakCounts } from './judging/facts.js';
import type { TestRecord } from './progress.js';
import type { AgentErrorKind, Interruption, IterationOutcome, OthersSpend, UsageReporting } from './run-event.js';
import type { HookName, RunSpec } from './run-spec.js';
import { EMPTY_ACCOUNT, type SpendAccount } from './spend-account.js';
import type { Spend } from './usage.js';
import type { ToolUse } from './tool-use.js';
import type { Hold, Verdict } from './verdict.js';

/** What is kept of an ended iteration. The journal has the rest. */
export interface IterationSummary {
  readonly iteration: number;
  readonly try: number;
  readonly outcome: IterationOutcome;
  readonly interruption?: Interruption | undefined;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationMs: number;
  /** Active time of the run at its end. */
  readonly activeMs: number;
  readonly spend: Spend;
  readonly estimated: boolean;
  readonly madeProgress?: boolean | undefined;
  readonly tree?: string | undefined;
  readonly changedFiles?: number | undefined;
  readonly testsPassed?: number | undefined;
  readonly testsFailed?: number | undefined;
  /** Set when the iteration ended with other files, and its tests were not all green. */
  readonly green?: GreenSeen | undefined;
  readonly summary?: string | undefined;
  readonly error?: string | undefined;
}

/** Spec 097's ten totals. */
export interface HistorySummary {
  readonly totalIterations: number;
  readonly successfulIterations: number;
  readonly failedIterations: number;
  readonly timedOutIterations: number;
  readonly totalDurationMs: number;
  readonly totalFilesModified: number;
  readonly totalFilesCreated: number;
  readonly totalTestsRun: number;
  readonly totalTestsPassed: number;
  readonly totalTestsFailed: number;
}

export interface SeenError {
  readonly kind: AgentErrorKind;
  readonly message: string;
  readonly fingerprint: string;
}

/** What the last iteration (or the one under way) showed. Nothing in here is older than its start. */
export interface LatestFacts {
  readonly observation: Observation;
  readonly matches: Readonly<Record<string, string>>;
  readonly errors: readonly SeenError[];
  /** Set when the iteration has ended: whether an agent was started in it, and so had a say. */
  readonly agentRan?: boolean | undefined;
  /** The agent said that it is done, and so has reported its usage. */
  readonly finished?: boolean | undefined;
  readonly stoppedItself?: 'budget' | 'turns' | undefined;
  /** Set when it has ended: whether it changed content that counts, in a way that the run had not seen before. */
  readonly newContent?: boolean | undefined;
  /** What the agent has reported, by Pawl's tools or its status line. `agent_reports_done` and `_blocked` read it. */
  readonly claims?: Claims | undefined;
  /** Which of `claims` the status line made; the others are of a tool. */
  readonly statusLine?: ClaimType | undefined;
  /** The sentence at the end of its last message that says that it is done. Weaker than a report, and not in `claims`. */
  readonly doneInWords?: string | undefined;
  /** A call of a tool was denied, also when a later one was allowed. */
  readonly wasDenied?: true | undefined;
  readonly limitHit?:
    | { readonly kind: string; readonly resetsAt?: string | undefined; readonly message: string }
    | undefined;
}

/** Counts that continue from iteration to iteration. An operator's resume resets them. */
export interface Streaks extends StreakCounts {
  readonly lastError?: SeenError | undefined;
}

export interface DaySpend extends OthersSpend {
  readonly day: string;
  /** What this run had spent before the day. */
  readonly ownBeforeUsd?: number | undefined;
}

export interface BatchSpend extends OthersSpend {
  readonly batch: string;
  /** The most that one iteration of any of its runs has cost. */
  readonly dearestUsd?: number | undefined;
}

export interface Commits {
  readonly made: number;
  /** Of the last one that was made. */
  readonly iteration?: number | undefined;
  /** Why the last one failed; a later one that succeeds holds that work, too. */
  readonly problem?: string | undefined;
  /** It was made, and is on no branch of the remote. */
  readonly isUnpushed?: boolean | undefined;
}

/** What the agent has changed in a run. What the tests write is not its own. */
export interface OwnChanges {
  /** Content that counts, in the working directory. */
  readonly inTree?: true | undefined;
  /** Files under `progress.also`, or outside the working directory. */
  readonly elsewhere?: true | undefined;
  /** An iteration whose changes were not observed. */
  readonly unknown?: true | undefined;
}

/** What became of `keep_best`. */
export interface KeptBest {
  readonly iteration: number;
  /** How the files were before. */
  readonly before: string;
  readonly problem?: string | undefined;
}

/** The fold of a journal: all that a decision or a view may know of a run. Plain data, so that it can be snapshot. */
export interface RunState {
  readonly runId?: string | undefined;
  readonly kind?: 'loop' | 'pipeline' | 'agent' | 'imported' | undefined;
  /** The first line of its prompt, where that is in a file. */
  readonly task?: string | undefined;
  readonly phase: Phase;
  readonly requests: Requests;
  readonly spec?: RunSpec | undefined;
  readonly policy: Policy;
  /** By which version of its rule each condition is judged; what is not in it is judged by version 1. */
  readonly rules?: RuleVersions | undefined;
  /** By this the user knows the spec again as his own. */
  readonly seal?: string | undefined;
  readonly agent?:
    | { readonly name: string; readonly usage: UsageReporting; readonly model?: string | undefined }
    | undefined;
  readonly seq: number;
  /** Wall time of the last event. */
  readonly at?: string | undefined;
  readonly startedAt?: string | undefined;
  readonly activeMs: number;
  /** Iterations used up. One that was `limited` or whose agent was never started gives its number back. */
  readonly iterations: number;
  readonly spend: SpendAccount;
  readonly streaks: Streaks;
  readonly tests: TestRecord;
  readonly baseline?: Observation | undefined;
  /** Tests that a person has accepted in place of those of the start. */
  readonly accepted?: (Pick<Observation, 'tests' | 'tree' | 'kept'> & { readonly iteration: number }) | undefined;
  /** Lists that are goals, by the key of their condition. */
  readonly checklists?: Readonly<Record<string, ChecklistRecord>> | undefined;
  /** What metrics have shown, by what is measured. */
  readonly metrics?: Readonly<Record<string, MetricRecord>> | undefined;
  /** The files of the best result were restored at the end, or why they were not. */
  readonly keptBest?: KeptBest | undefined;
  readonly originals?: OriginalsSeen | undefined;
  readonly review?: ReviewState | undefined;
  /** What the user has said since the start, for the review: the newest texts, each cut. */
  readonly userWords?: readonly string[] | undefined;
  readonly latest: LatestFacts;
  /** Those before the current iteration. They stay true when it starts no agent, or is refused before it does any work. */
  readonly factsBefore?: LatestFacts | undefined;
  /** The last tests and checks that were run, if none were run since. Only the prompt shows them: no condition reads them. */
  readonly lastLook?: (Pick<GoalFacts, 'tests' | 'checks'> & { readonly iteration: number }) | undefined;
  readonly holds: Readonly<Record<string, Hold>>;
  readonly context?: { readonly usedTokens: number; readonly windowTokens: number } | undefined;
  readonly session?: { readonly id: string; readonly openedAt: string } | undefined;
  /** How far the conversation is that the agent keeps on record. */
  readonly conversation?: { readonly session: string; readonly messages: number } | undefined;
  /** One figure of all protected files, as they were when they were last known to be in order. */
  readonly guard?: string | undefined;
  /** An iteration ended in which they were not watched: they count as unknown until they are seen to be as before. */
  readonly unguarded?: true | undefined;
  /** Protected files were changed, and have not been seen as before since: `guard` is of before that. */
  readonly guardBroken?: { readonly iteration: number; readonly detail: string } | undefined;
  /** Protected files that the tests themselves write, with `#` for numbers: a change of them is not the agent's. */
  readonly testOutputs?: readonly string[] | undefined;
  /** The day's account of the machine, as it was seen last. */
  readonly day?: DaySpend | undefined;
  /** What the batch has spent, as it was seen last. */
  readonly batch?: BatchSpend | undefined;
  /** What became of the work where the config says `commit`. */
  readonly commits?: Commits | undefined;
  /** The hook that runs now. */
  readonly hook?: HookName | undefined;
  /** A hook that failed and must not: the run goes no further. */
  readonly blockedByHook?: { readonly hook: string; readonly message: string } | undefined;
  /** What a fresh session learns about the one before. */
  readonly handover?: string | undefined;
  /** How long the run has waited for the provider, in all. */
  readonly waitedMs?: number | undefined;
  /** The last try whose agent was never started. */
  readonly unstarted?: { readonly iteration: number; readonly try: number } | undefined;
  /** The last question of the agent to a person, until it is answered or the next iteration begins. */
  readonly question?: string | undefined;
  /** The answers to choose from, where the agent waits for one. */
  readonly questionChoices?: readonly string[] | undefined;
  /** What the agent asked by `ask_person`. */
  readonly questions?: Questions | undefined;
  /**
   * The last report that the agent is blocked, until it reports that it is done, continues in a later iteration, or an
   * operator resumes the run.
   */
  readonly blockedReport?: { readonly iteration: number; readonly evidence: string } | undefined;
  /** Iterations in which the agent said that it was done, by a claim of any source or by the words of a goal. */
  readonly saidDone?: number | undefined;
  /** Test files that iterations created, or that were there before and were changed or deleted. */
  readonly testFiles?: Readonly<Record<string, 'created' | 'changed'>> | undefined;
  readonly reboots: number;
  readonly crashesInARow: number;
  /** Trees seen, oldest first, the newest 256 of them. */
  readonly trees: readonly string[];
  /** Digests of changed lines and of test errors that iterations have shown, the newest of them. */
  readonly seenLines?: readonly string[] | undefined;
  readonly seenErrors?: readonly string[] | undefined;
  readonly seenResults?: readonly string[] | undefined;
  /** Absent in a pipeline, and in records of which an older Pawl has read a part. */
  readonly toolUse?: ToolUse | undefined;
  /** What the agent has changed since the start. */
  readonly ownChanges?: OwnChanges | undefined;
  /** What the working tree was put back to since the last iteration started. */
  readonly restoredTree?: string | undefined;
  /** The newest 100 iterations. */
  readonly recent: readonly IterationSummary[];
  readonly history: HistorySummary;
  readonly pipeline?: PipelineState | undefined;
  readonly verdict?: Verdict | undefined;
  /** The first events that were recorded in a phase in which they cannot happen. */
  readonly faults?: readonly Fault[] | undefined;
}

export const NO_FACTS: LatestFacts = Object.freeze({ observation: {}, matches: {}, errors: [] });

export const NO_STREAKS: Streaks = Object.freeze({
  testFailures: 0,
  strictTestFailures: 0,
  withoutProgress: 0,
  failures: 0,
  sameError: 0,
  denials: 0,
  oscillations: 0,
});

/** A run of which nothing is recorded yet. */
export const INITIAL_STATE: RunState = Object.freeze<RunState>({
  phase: { name: 'idle' },
  requests: { steers: [] },
  policy: EMPTY_POLICY,
  seq: 0,
  activeMs: 0,
  iterations: 0,
  spend: EMPTY_ACCOUNT,
  streaks: NO_STREAKS,
  tests: {},
  latest: NO_FACTS,
  holds: {},
  reboots: 0,
  crashesInARow: 0,
  trees: [],
  recent: [],
  history: {
    totalIterations: 0,
    successfulIterations: 0,
    failedIterations: 0,
    timedOutIterations: 0,
    totalDurationMs: 0,
    totalFilesModified: 0,
    totalFilesCreated: 0,
    totalTestsRun: 0,
    totalTestsPassed: 0,
    totalTestsFailed: 0,
  },
});

import type { ClaimType } from '../../../model/claim.js';
import type { ExitCode } from '../../../model/exit-code.js';
import type { AttemptSummary } from '../../../model/item-state.js';
import type { PipelineSpec } from '../../../model/pipeline-spec.js';
import type { Policy } from '../../../model/policy.js';
import type { Interruption, IterationOutcome, RunEvent } from '../../../model/run-event.js';
import type { RunSpec } from '../../../model/run-spec.js';
import type { RunState } from '../../../model/run-state.js';
import type { Judgement, StopReason } from '../../../model/verdict.js';
import type { StopClass } from '../../../model/stop-class.js';

/** A run as it is handed to others: `pawl export --format json`. What is absent is not known. */
export interface RunExport {
  /** Of this shape. A new field does not change it. */
  readonly version: 1;
  readonly exportedAt: string;
  readonly pawl: string;
  readonly run: ExportedRun;
  readonly outcome: ExportedOutcome;
  readonly figures: ExportedFigures;
  /** How far each condition was at the end, or is now. */
  readonly conditions: readonly Judgement[];
  readonly iterations: readonly ExportedIteration[];
  readonly verdicts: readonly ExportedVerdict[];
  /** What happened next to the iterations: pauses, waits, commands, raised limits, reports, resumes. */
  readonly marks: readonly ExportedMark[];
  /** Of a pipeline: those that have begun. */
  readonly items?: readonly ExportedItem[] | undefined;
  /** With `--output`: what the agent said and did. */
  readonly output?: readonly RunEvent[] | undefined;
  /** How many of the oldest are left out. */
  readonly omitted: { readonly verdicts: number; readonly marks: number; readonly output: number };
}

export interface ExportedRun {
  readonly id: string;
  readonly kind?: RunState['kind'];
  readonly project: string;
  readonly branch?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
  readonly spec?: RunSpec | undefined;
  readonly policy: Policy;
  readonly pipeline?: PipelineSpec | undefined;
}

export interface ExportedOutcome {
  /** As `pawl list` says it: also `interrupted`. */
  readonly status: string;
  /** It continues: this is how it stood when it was exported. */
  readonly isLive: boolean;
  readonly class?: StopClass | undefined;
  /** What `pawl run` exited with. */
  readonly exitCode?: ExitCode | undefined;
  readonly reasons: readonly StopReason[];
  readonly error?: string | undefined;
  /** What is wrong with the record. */
  readonly problem?: string | undefined;
  /** Not all of the record could be read. */
  readonly isDamaged: boolean;
}

export interface ExportedFigures {
  readonly iterations: number;
  readonly costUsd?: number | undefined;
  /** The cost is at least this, where it is not known. */
  readonly knownCostUsd: number;
  /** A part of it is charged by the dearest iteration. */
  readonly isEstimated: boolean;
  /** A subscription pays; it is what it would have cost. */
  readonly isNotional: boolean;
  readonly tokens: ExportedTokens;
  readonly activeMs: number;
  readonly reboots: number;
  readonly tests: { readonly before?: ExportedTests | undefined; readonly after?: ExportedTests | undefined };
  readonly items?: Readonly<Record<'total' | 'approved' | 'rejected' | 'failed' | 'left' | 'attempts', number>>;
}

export interface ExportedTokens {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly total?: number | undefined;
}

export interface ExportedTests {
  /** `agent`: it says so, and no one looked. */
  readonly source: 'harness' | 'agent';
  readonly passed?: number | undefined;
  readonly failed?: number | undefined;
  readonly skipped?: number | undefined;
  readonly exitCode?: number | undefined;
}

export interface ExportedIteration {
  readonly iteration: number;
  readonly try: number;
  readonly outcome: IterationOutcome;
  readonly interruption?: Interruption | undefined;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationMs: number;
  /** Active time of the run at its end. */
  readonly activeMs: number;
  readonly costUsd?: number | undefined;
  readonly isEstimated: boolean;
  readonly tokens: ExportedTokens;
  readonly contextPercent?: number | undefined;
  readonly testsPassed?: number | undefined;
  readonly testsFailed?: number | undefined;
  readonly changedFiles?: number | undefined;
  readonly madeProgress?: boolean | undefined;
  /** What the agent reported in it. */
  readonly claims: readonly ClaimType[];
  readonly summary?: string | undefined;
  readonly error?: string | undefined;
}

export interface ExportedVerdict {
  readonly iteration: number;
  readonly at: string;
  readonly stop: boolean;
  readonly class?: StopClass | undefined;
  readonly reasons: readonly StopReason[];
  readonly judgements: readonly Judgement[];
}

/** One event, with what it carries. */
export interface ExportedMark {
  readonly seq: number;
  readonly at: string;
  readonly type: RunEvent['type'];
  readonly [field: string]: unknown;
}

export interface ExportedItem {
  readonly item: string;
  readonly index: number;
  readonly status: 'approved' | 'rejected' | 'failed' | 'in_progress' | 'pending' | 'withdrawn';
  readonly attempts: readonly AttemptSummary[];
  /** Attempts that were cut short and count for nothing. */
  readonly interrupted: number;
  readonly durationMs: number;
  /** What the last attempt came to, in its own words. */
  readonly message?: string | undefined;
}

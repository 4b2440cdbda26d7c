import type { PipelineSpec } from './pipeline-spec.js';
import type { Policy } from './policy.js';
import type { RunSpec } from './run-spec.js';

export type ItemStatus = 'approved' | 'rejected' | 'failed';

/** How an attempt at an item ended. The last two use up none of the item's attempts. */
export type AttemptOutcome = 'approved' | 'rejected' | 'retry' | 'failed' | 'interrupted' | 'limited';

/** The events that only a pipeline has. */
export interface PipelineBodies {
  'item-started': { readonly item: string; readonly index: number };
  'attempt-started': { readonly item: string; readonly index?: number | undefined; readonly attempt: number };
  'attempt-ended': {
    readonly item: string;
    readonly index?: number | undefined;
    readonly attempt: number;
    readonly outcome: AttemptOutcome;
    /** Codes such as `BLURRY`: the audit's own, or why it came to no verdict. */
    readonly reasons?: readonly string[] | undefined;
    readonly score?: number | undefined;
    readonly message?: string | undefined;
    /** The end of what the audit, or a generator that failed, printed. */
    readonly output?: string | undefined;
    /** SHA-256 of the output that was approved, which is then moved into its place. */
    readonly hash?: string | undefined;
    /** False when nothing was started: nothing can have been spent. */
    readonly agentStarted?: boolean | undefined;
    /** The audit has spent something, and did not tell how much. */
    readonly auditSpendUnknown?: true | undefined;
    readonly durationMs: number;
  };
  'item-ended': {
    readonly item: string;
    readonly index: number;
    readonly status: ItemStatus;
    readonly attempts: number;
  };
  /** An item that was final is not any more: an operator wants it again, or its approved output is gone or has changed. */
  'item-reopened': { readonly item: string; readonly index: number; readonly isLost?: true | undefined };
  /** An operator goes on with another manifest than the run began with. Items keep their index; new ones come last. */
  'manifest-changed': {
    readonly items: number;
    /** Those without a final status that the manifest does not name any more. */
    readonly withdrawn: readonly number[];
    /** What these are called, one by one: most have never begun. */
    readonly withdrawnItems?: readonly string[] | undefined;
    readonly policy: Policy;
    readonly spec: RunSpec;
    readonly pipeline: PipelineSpec;
    /** As that of `run-started`, which it takes the place of. */
    readonly seal?: string | undefined;
  };
}

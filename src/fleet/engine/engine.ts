import type { Journal } from '../../journal/journal.js';
import type { LoopCommand } from '../../model/loop-command.js';
import type { PushedWork } from '../../workspace/clone.js';
import type { ClaimedJob } from './boss.js';

/** What somebody wishes of a run, whoever works on it. */
export type Wish = 'pause' | 'cancel';

/** A run that a worker may work on for as long as the epoch and the token of the claim are its last ones. */
export interface ClaimedRun {
  readonly id: string;
  readonly epoch: number;
  /** Random, of this one claim. */
  readonly claim: string;
  readonly job: ClaimedJob;
  /** After so long without a sign of life of its worker the run is given to another. */
  readonly heartbeatMs: number;
  /** After so long the run is given to another whatever is heard of its worker. */
  readonly longestHoldMs: number;
  readonly repository: string;
  readonly base: string;
  readonly labels: readonly string[];
  readonly batch?: string | undefined;
  readonly keyGroup?: string | undefined;
  readonly spec: unknown;
  /** `cancel`: nothing is left to do but to end it. */
  readonly wish?: Wish | undefined;
  /** The last event that is recorded; 0 when it was never worked on. */
  readonly lastSeq: number;
  /** Its last worker has let go of it; otherwise it died with it, or there was none. */
  readonly wasLeft: boolean;
  /** How many workers in a row died with it without recording anything. */
  readonly crashes: number;
}

/** Where a run goes when its worker lets go of it. */
export type ReleaseTo =
  /** `isBroken`: its worker could not record anything more, which counts as its death. */
  | { readonly state: 'queued'; readonly trouble?: string | undefined; readonly isBroken?: boolean | undefined }
  /** Without a time it waits until a command comes for it. */
  | { readonly state: 'waiting'; readonly notBefore?: Date | undefined; readonly trouble?: string | undefined }
  | { readonly state: 'ended'; readonly outcome: object };

export interface SentCommand {
  readonly id: string;
  readonly command: LoopCommand;
  /** Who asks, for the record. */
  readonly by: string;
}

/** What a batch has spent, as far as it is recorded. */
export interface BatchSpend {
  /** Iterations that told nothing are charged like the dearest of the batch. */
  readonly spentUsd: number;
  readonly maxCostUsd?: number | undefined;
  /** The most that one iteration has cost. */
  readonly dearestUsd?: number | undefined;
  /** A run that has spent what nobody can tell or estimate. */
  readonly unknownRun?: string | undefined;
}

export interface FleetJournal extends Journal {
  /** Resolves when everything appended so far is recorded; rejects when it never will be. */
  synced(): Promise<void>;
  /** Told once why nothing more can be recorded, at once if that is so already. Must not throw. */
  onBroken(listener: (error: unknown) => void): () => void;
}

export interface FleetJournalOptions {
  /** The run is not ours any more: once it is aborted nothing more is recorded. */
  readonly giveUp: AbortSignal;
  /** Told once when the record cannot be written and the same events will be sent until it can. Must not throw. */
  readonly onRetry: (error: unknown) => void;
}

/** What there is of one claimed run beside its working tree. */
export interface RunRecords {
  openJournal(options: FleetJournalOptions): Promise<FleetJournal>;
  /** What the branch of the run must hold; undefined when nothing of it was ever pushed. */
  pushedWork(): Promise<PushedWork | undefined>;
  wish(): Promise<Wish | undefined>;
  /** The commands that no record tells of yet, in their order; none for a worker that the run was taken from. */
  commands(): Promise<readonly SentCommand[]>;
  /** Says that they are recorded: until then whoever takes the run over gets them, too. */
  commandsRecorded(ids: readonly string[]): Promise<void>;
  /** Of the run's batch, except what the run itself has spent, if `others` is true. Undefined without a batch. */
  readonly batchSpend: (others: boolean) => Promise<BatchSpend | undefined>;
  /** What keeps the run from going on, for whoever looks at the fleet; undefined when it has passed. */
  tell(trouble: string | undefined): void;
}

export interface EngineWorker {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly slots: number;
  readonly labels: readonly string[];
}

/** Who hands out runs, says who may work on them, and keeps what is recorded of them: Postgres, or the memory of a test. */
export interface FleetEngine {
  /** Makes the worker known. Rejects when it cannot begin. */
  open(worker: EngineWorker): Promise<void>;
  /** The next run for this worker; undefined when there is none for it now. */
  claim(): Promise<ClaimedRun | undefined>;
  /** Says that the worker lives. Returns the ids of the runs that are still its own. No answer within the time is an error. */
  touch(runs: readonly ClaimedRun[], withinMs: number): Promise<ReadonlySet<string>>;
  /** The ids of those runs to which somebody has said something, or of which something is wished. */
  told(runs: readonly ClaimedRun[]): Promise<readonly string[]>;
  /** Lets go of a run. False: another has taken it over, and nothing was changed. It can be asked again. */
  release(run: ClaimedRun, to: ReleaseTo): Promise<boolean>;
  recordsOf(run: ClaimedRun): RunRecords;
  /** Every now and then: puts right what nobody else does. Returns what there is to say. */
  tend(): Promise<readonly string[]>;
  close(): Promise<void>;
}

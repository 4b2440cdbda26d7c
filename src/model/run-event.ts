import type { Claim } from './claim.js';
import type { StopCondition } from './condition.js';
import type { ConversationBodies } from './conversation-event.js';
import type { LoopCommand } from './loop-command.js';
import type { TerminalState } from './loop-state.js';
import type { Observation } from './observation.js';
import type { PipelineBodies } from './pipeline-event.js';
import type { PipelineSpec } from './pipeline-spec.js';
import type { Policy } from './policy.js';
import type { HookName, ModelRates, RunSpec, SpecChange } from './run-spec.js';
import type { StopClass } from './stop-class.js';
import type { Spend } from './usage.js';
import type { StopReason, Verdict } from './verdict.js';

/** How an iteration ended. */
export type IterationOutcome = 'completed' | 'failed' | 'timed-out' | 'skipped' | 'interrupted' | 'limited';

/** What ended an iteration before the agent was done; `unpushed`: it may have been, and what it did is on no branch. */
export type Interruption = 'limit' | 'failure' | 'operator' | 'crash' | 'unpushed';

/** Whether an agent tells what it used: while it works, when it is done, or never. */
export type UsageReporting = 'live' | 'end' | 'none';

/** How the agent's process came to its end. */
export interface AgentEnding {
  /** The first cause: its own exit, a timer of Pawl's, an interruption. */
  readonly cause: 'exit' | 'timeout' | 'idle' | 'lingering' | 'aborted' | 'not-started';
  /** Processes that it left behind and that were ended. */
  readonly stragglers: number;
  /** Those that could not be. */
  readonly survivors: number;
  /** It went on spending after it was told to end because of a budget, and was killed before its grace was over. */
  readonly spentOn?: true | undefined;
}

export type AgentErrorKind = 'auth' | 'billing' | 'overload' | 'rate' | 'context' | 'other';

export type WaitingFor = 'usage-limit' | 'overload' | 'approval' | 'answer';

/** Pipeline: the index of the item whose attempt tells it. Attempts run side by side. */
interface Whose {
  readonly index?: number | undefined;
}

/** What others have spent, or why it cannot be told. */
export interface OthersSpend {
  readonly othersUsd?: number | undefined;
  readonly problem?: string | undefined;
}

/** Every event by its type: what it carries beyond its envelope. */
export interface EventBodies extends PipelineBodies, ConversationBodies {
  'run-started': {
    readonly runId: string;
    readonly kind: 'loop' | 'pipeline' | 'agent';
    readonly policy: Policy;
    readonly spec?: RunSpec | undefined;
    readonly agent: { readonly name: string; readonly usage: UsageReporting; readonly model?: string | undefined };
    readonly versions: Readonly<Record<string, string>>;
    readonly items?: number | undefined;
    readonly pipeline?: PipelineSpec | undefined;
    /** The first line of a prompt that is in a file. */
    readonly task?: string | undefined;
    /** By this its user knows the run again as his own. Put in when it is recorded. */
    readonly seal?: string | undefined;
  };
  'baseline-observed': { readonly observation: Observation };
  'iteration-started': {
    readonly iteration: number;
    /** 2 and more after an iteration of this number was `limited`. */
    readonly try: number;
    readonly cookie?: string | undefined;
    readonly session?: string | undefined;
    readonly configHash?: string | undefined;
  };
  'agent-spawned': { readonly pid: number; readonly startTime: string };
  'iteration-status': {
    readonly status: 'pre_hooks' | 'executing' | 'observing' | 'post_hooks';
    /** `executing`: one figure of all protected files, before the agent starts. */
    readonly guard?: string | undefined;
  };
  'agent-said': Whose & {
    readonly text: string;
    /** Characters left out of `text` in the middle. */
    readonly omitted?: number | undefined;
    /** Patterns of the policy found in the whole message, with what they found, by condition key. */
    readonly matches?: Readonly<Record<string, string>> | undefined;
  };
  'tool-called': Whose & {
    readonly id?: string | undefined;
    readonly name: string;
    readonly input?: string | undefined;
  };
  'tool-answered': Whose & {
    readonly id?: string | undefined;
    readonly failed?: boolean | undefined;
    readonly denied?: boolean | undefined;
    readonly output?: string | undefined;
  };
  'usage-reported': Whose & {
    /** `request`: one model call, repeated under its id. `turn`: all calls since the last turn. `session-total`: all of the session, or of the process if it names no session. */
    readonly scope: 'request' | 'turn' | 'session-total';
    readonly id?: string | undefined;
    readonly session?: string | undefined;
    readonly model?: string | undefined;
    readonly spend: Spend;
    readonly rates?: ModelRates | undefined;
    /** There is no cost because the price list itself could not be loaded. */
    readonly priceListMissing?: true | undefined;
    /** The dollars are what a subscription's use would have cost. */
    readonly notional?: boolean | undefined;
    /** Figures that were negative, infinite or absurd and were not taken. */
    readonly rejected?: readonly string[] | undefined;
    /** Pipeline: it was the audit that spent it. */
    readonly audit?: true | undefined;
    /** Something was spent, and nobody can tell how much. */
    readonly unknown?: true | undefined;
  };
  'context-reported': { readonly usedTokens: number; readonly windowTokens: number };
  'session-opened': { readonly session: string; readonly resumed: boolean };
  'limit-hit': Whose & {
    readonly kind: 'usage-limit' | 'overload';
    readonly resetsAt?: string | undefined;
    readonly message: string;
  };
  'error-seen': Whose & { readonly kind: AgentErrorKind; readonly message: string; readonly fingerprint: string };
  'permission-denied': Whose & { readonly tool: string; readonly detail?: string | undefined };
  /** The agent says that it is done; `budget`: because it reached a budget of its own. */
  'agent-finished': Whose & {
    readonly summary?: string | undefined;
    readonly stoppedBy?: 'budget' | 'turns' | undefined;
  };
  /** The agent reports, through a tool of Pawl's, where it stands. Recorded, not believed: the policy judges it. */
  'claim-made': Claim & { readonly by: string };
  /** What the other runs of this user on this machine have spent on a day, for a limit over all of them. */
  'day-spend-seen': OthersSpend & { readonly day: string };
  /** What the other runs of the batch have spent, for a limit over all of them, and what one of their iterations cost at most. */
  'batch-spend-seen': OthersSpend & { readonly batch: string; readonly dearestUsd?: number | undefined };
  tick: object;
  'iteration-ended': {
    readonly iteration: number;
    readonly outcome: IterationOutcome;
    readonly interruption?: Interruption | undefined;
    /** False when no agent was started: nothing can have been spent. */
    readonly agentStarted: boolean;
    /** It failed by itself, and said so, before any answer of its model: it is taken as having spent nothing. */
    readonly unanswered?: true | undefined;
    /** Its runner died before it had told all that it used: it is charged at least like the dearest iteration so far. */
    readonly spendIncomplete?: true | undefined;
    readonly durationMs: number;
    readonly error?: string | undefined;
    readonly ending?: AgentEnding | undefined;
    readonly observation: Observation;
  };
  'verdict-reached': { readonly iteration: number; readonly verdict: Verdict };
  'hook-started': { readonly hook: HookName };
  'hook-ran': {
    readonly hook: HookName;
    readonly exitCode?: number | undefined;
    readonly durationMs: number;
    /** The end of what it printed. */
    readonly output?: string | undefined;
    /** Set when it failed, with what follows from that. */
    readonly failure?: { readonly message: string; readonly leadsTo: 'warn' | 'block' | 'pause' } | undefined;
  };
  /** Somebody outside was told of the run, or why not. */
  'notification-sent': {
    readonly channel: 'command' | 'webhook';
    readonly event: 'completed' | 'stopped' | 'blocked' | 'error' | 'waiting' | 'paused';
    readonly error?: string | undefined;
  };
  /** What the agent did was committed to the user's branch, or why it could not be. */
  'work-committed': {
    readonly iteration: number;
    /** The last one; the agent may have made it. */
    readonly commit?: string | undefined;
    /** How many there are, when they are more than one. */
    readonly commits?: number | undefined;
    readonly error?: string | undefined;
  };
  /** The working tree was put back to a snapshot, between two iterations. */
  'tree-restored': {
    readonly tree: string;
    /** How it was before, to undo it. */
    readonly before: string;
    /** The iteration whose end it was; 0: before the first. */
    readonly iteration?: number | undefined;
    /** The last restore that was not undone is. */
    readonly undoes?: boolean | undefined;
  };
  paused: { readonly reason?: string | undefined };
  resumed: object;
  'waiting-started': {
    readonly for: WaitingFor;
    readonly until?: string | undefined;
    readonly reason?: string | undefined;
  };
  'waiting-ended': { readonly reason?: string | undefined };
  'reboot-started': { readonly reason: string };
  'reboot-completed': { readonly handover?: string | undefined };
  'command-received': {
    readonly command: LoopCommand;
    readonly by: string;
    /** Set when the state did not allow it. */
    readonly refused?: string | undefined;
  };
  'limit-extended': { readonly limit: StopCondition; readonly by: string };
  'run-resumed': { readonly cause: 'crash' | 'operator' | 'moved' } & SpecChange;
  'run-ended': {
    readonly state: TerminalState;
    readonly class?: StopClass | undefined;
    readonly reasons: readonly StopReason[];
    readonly error?: string | undefined;
  };
}

export type EventType = keyof EventBodies;

/** What every recorded event has. */
export interface Envelope {
  /** Version of this type's shape. */
  readonly v: number;
  /** Contiguous from 1. */
  readonly seq: number;
  /** Wall time, ISO 8601. */
  readonly at: string;
  /** Total active time of the run so far, by the monotonic clock. */
  readonly activeMs: number;
}

export type NewEvent = { [T in EventType]: { readonly type: T } & EventBodies[T] }[EventType];

export type RunEvent = { [T in EventType]: Envelope & { readonly type: T } & EventBodies[T] }[EventType];

export type LoopEvent = RunEvent;

export type EventOf<T extends EventType> = Extract<RunEvent, { readonly type: T }>;

interface EventInfo {
  readonly v: number;
  /** On disk for certain before it is published. The others follow within a second. */
  readonly synced: boolean;
}

const synced: EventInfo = { v: 1, synced: true };
const live: EventInfo = { v: 1, synced: false };

export const EVENT_TYPES: Readonly<Record<EventType, EventInfo>> = {
  'run-started': synced,
  'baseline-observed': synced,
  'iteration-started': synced,
  // Only a process that has died with the machine could be lost, and the boundary before it tells that one was to start.
  'agent-spawned': live,
  'iteration-status': live,
  'agent-said': live,
  'tool-called': live,
  'tool-answered': live,
  'usage-reported': live,
  'message-recorded': synced,
  'context-reported': live,
  'session-opened': live,
  'limit-hit': live,
  'error-seen': live,
  'permission-denied': live,
  'agent-finished': live,
  'claim-made': synced,
  'day-spend-seen': live,
  'batch-spend-seen': live,
  tick: live,
  'iteration-ended': synced,
  // It follows from what is recorded, and the next boundary, which follows at once, syncs it, too.
  'verdict-reached': live,
  'hook-started': live,
  'hook-ran': synced,
  'notification-sent': live,
  'work-committed': synced,
  'tree-restored': synced,
  paused: synced,
  resumed: synced,
  'waiting-started': synced,
  'waiting-ended': synced,
  'reboot-started': synced,
  'reboot-completed': synced,
  'command-received': synced,
  'limit-extended': synced,
  'run-resumed': synced,
  'item-started': live,
  'attempt-started': live,
  // Attempts end side by side and share a sync: it is waited for before anything follows from the end of one.
  'attempt-ended': live,
  'item-ended': live,
  'item-reopened': synced,
  'manifest-changed': synced,
  'run-ended': synced,
};

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(EVENT_TYPES, text);
}

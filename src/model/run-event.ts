import type { Claim } from './claim.js';
import type { StopCondition } from './condition.js';
import type { Json } from './json.js';
import type { LoopCommand } from './loop-command.js';
import type { PhaseName, TerminalState } from './loop-state.js';
import type { Observation } from './observation.js';
import type { PipelineSpec } from './pipeline-spec.js';
import type { Policy } from './policy.js';
import type { RuleVersions } from './judging/facts.js';
import type { ReviewCause, ReviewOpinion, ReviewProblem } from './review.js';
import type { HookName, ModelRates, RunSpec, SpecChange } from './run-spec.js';
import type { StopReason, Verdict } from './verdict.js';
import type { StopClass } from './stop-class.js';
import {
  anything,
  type Check,
  codes,
  command,
  condition,
  each,
  fields,
  flag,
  list,
  local,
  maybe,
  number,
  object,
  observation,
  oneOf,
  opinion,
  orMissing,
  pipeline,
  policy,
  prose,
  reasons,
  requester,
  spec,
  spend,
  stopClass,
  text,
  texts,
  verdict,
  word,
  written,
} from './recorded-shapes.js';
import type { Spend } from './usage.js';

/** How an iteration ended. */
export type IterationOutcome = 'completed' | 'failed' | 'timed-out' | 'skipped' | 'interrupted' | 'limited';

/** What ended an iteration before the agent was done; `unpushed`: it may have been, and what it did is on no branch. */
export type Interruption = 'limit' | 'failure' | 'operator' | 'crash' | 'unpushed';

/** Whether an agent reports its usage: while it works, when it is done, or never. */
export type UsageReporting = 'live' | 'end' | 'none';

/** How the agent's process came to its end. */
export interface AgentEnding {
  /** The first cause: its own exit, a timer of Pawl's, an interruption. */
  readonly cause: 'exit' | 'timeout' | 'idle' | 'lingering' | 'aborted' | 'not-started';
  /** Processes that it left behind and that were ended. */
  readonly stragglers: number;
  /** Those that could not be. */
  readonly survivors: number;
  /** It continued spending after a budget ended it, and was killed before its grace was over. */
  readonly spentOn?: true | undefined;
}

export type AgentErrorKind = 'auth' | 'billing' | 'overload' | 'rate' | 'context' | 'other';

/** `answer`: within an iteration, by an agent in code. `person`: between two iterations, for the answer to `ask_person`. */
export type WaitingFor = 'usage-limit' | 'overload' | 'approval' | 'answer' | 'person';

export type ItemStatus = 'approved' | 'rejected' | 'failed';

/** How an attempt at an item ended. The last two use up none of the item's attempts. */
export type AttemptOutcome = 'approved' | 'rejected' | 'retry' | 'failed' | 'interrupted' | 'limited';

/** The model call that a message is the answer of. */
export interface ModelCall {
  readonly id: string;
  readonly model?: string | undefined;
  readonly spend: Spend;
  readonly finishReason: string;
  /** Tool calls that cannot be made, by id: why not. */
  readonly invalid?: Readonly<Record<string, string>> | undefined;
}

/** Where a message lies that is too long for the journal. */
export interface KeptFile {
  /** Below the run folder. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Pipeline: the index of the item whose attempt it is about. Attempts run side by side. */
interface Whose {
  readonly index?: number | undefined;
}

/** What an attempt has made, and its audit has approved. */
export interface MadeOutput {
  /** SHA-256; undefined where items have no output. */
  readonly hash?: string | undefined;
  /** What the generator said last. */
  readonly said?: string | undefined;
}

/** What a review is about. */
export interface Reviewed extends Whose {
  /** Of the last iteration that has ended. */
  readonly iteration: number;
  readonly tree?: string | undefined;
  readonly cause: ReviewCause;
  /** Who is asked, such as `claude (haiku)`. */
  readonly reviewer: string;
  /** SHA-256 of what it is given, without the fences. */
  readonly evidence: string;
}

/** What others have spent, or why it is unknown. */
export interface OthersSpend {
  readonly othersUsd?: number | undefined;
  readonly problem?: string | undefined;
}

/** Every event by its type: what it carries beyond its envelope. */
export interface EventBodies {
  'run-started': {
    readonly runId: string;
    /** `imported`: another tool ran it, and each model call is an iteration. */
    readonly kind: 'loop' | 'pipeline' | 'agent' | 'imported';
    readonly policy: Policy;
    readonly spec?: RunSpec | undefined;
    readonly agent: { readonly name: string; readonly usage: UsageReporting; readonly model?: string | undefined };
    readonly versions: Readonly<Record<string, string>>;
    readonly rules?: RuleVersions | undefined;
    readonly items?: number | undefined;
    readonly pipeline?: PipelineSpec | undefined;
    /** The first line of a prompt that is in a file. */
    readonly task?: string | undefined;
    /** HMAC that proves this user started the run. Put in when it is recorded. */
    readonly seal?: string | undefined;
  };
  'baseline-observed': { readonly observation: Observation };
  /** A person accepts the tests as they are now in place of those of the start. */
  'tests-accepted': { readonly observation: Observation; readonly by: string };
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
    /** It was the review that spent it. */
    readonly review?: true | undefined;
    /** Something was spent, and the amount is unknown. */
    readonly unknown?: true | undefined;
  };
  /** One message of a conversation that the agent keeps on record, to continue it after a crash. */
  'message-recorded': {
    readonly session: string;
    /** From 0, without a gap. */
    readonly index: number;
    /** Absent when it is in a file. */
    readonly message?: Json | undefined;
    readonly file?: KeptFile | undefined;
    readonly call?: ModelCall | undefined;
    /** It is not part of the conversation: a fresh one begins with it. */
    readonly purpose?: 'summary' | undefined;
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
  /** The agent claims, by a tool of Pawl's, its status line or its last words, where its work is. The policy judges it. */
  'claim-made': Claim & { readonly by: string };
  /** The agent asks a person by the tool `ask_person`. */
  'question-asked': {
    /** Its id in the run. */
    readonly question: string;
    readonly text: string;
    readonly choices?: readonly string[] | undefined;
    readonly by: string;
  };
  /** The call that asked was still waiting, and was given the answer. */
  'answer-delivered': { readonly question: string };
  /** The agent's own tool showed all tests green while it worked, and a snapshot of the files was taken. Not verified. */
  'green-seen': { readonly iteration: number; readonly tree: string; readonly passed: number };
  /** What the other runs of this user on this machine have spent on a day, for a limit over all of them. */
  'day-spend-seen': OthersSpend & { readonly day: string };
  /** What the other runs of the batch have spent, for a limit over all of them, and what one of their iterations cost at most. */
  'batch-spend-seen': OthersSpend & { readonly batch: string; readonly dearestUsd?: number | undefined };
  /** A reviewer is asked about the work that iterations have left. */
  'review-started': Reviewed;
  /** What it said, or why it did not. Neither: it was cut short. */
  'review-ended': Reviewed & {
    readonly opinion?: ReviewOpinion | undefined;
    readonly problem?: ReviewProblem | undefined;
    readonly durationMs: number;
    readonly costUsd?: number | undefined;
  };
  tick: object;
  'iteration-ended': {
    readonly iteration: number;
    readonly outcome: IterationOutcome;
    readonly interruption?: Interruption | undefined;
    /** False when no agent was started: nothing can have been spent. */
    readonly agentStarted: boolean;
    /** It failed by itself, and said so, before any answer of its model: it is taken as having spent nothing. */
    readonly unanswered?: true | undefined;
    /** Its runner died before it had reported all that it used: it is charged at least like the dearest iteration so far. */
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
  /** A notification was sent, or why it was not. */
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
    /** The iteration in which the agent's tests were green with these files. */
    readonly greenIn?: number | undefined;
    /** The last restore that was not undone is. */
    readonly undoes?: boolean | undefined;
    /** At the end of a run with `keep_best`. */
    readonly isBest?: true | undefined;
    /** Why it could not be restored: nothing was changed. */
    readonly error?: string | undefined;
  };
  paused: { readonly reason?: string | undefined };
  resumed: object;
  'waiting-started': {
    readonly for: WaitingFor;
    readonly until?: string | undefined;
    readonly reason?: string | undefined;
    /** Answers to choose from. */
    readonly choices?: readonly string[] | undefined;
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
    /** What waits for its review, which could not be made: it is not made again. */
    readonly made?: MadeOutput | undefined;
    /** False when nothing was started: nothing can have been spent. */
    readonly agentStarted?: boolean | undefined;
    /** The audit has spent something, and did not report how much. */
    readonly auditSpendUnknown?: true | undefined;
    readonly durationMs: number;
  };
  'item-ended': {
    readonly item: string;
    readonly index: number;
    readonly status: ItemStatus;
    readonly attempts: number;
  };
  /** An item that was final is not any more: an operator wants it again, or its approved output is missing or has changed. */
  'item-reopened': { readonly item: string; readonly index: number; readonly isLost?: true | undefined };
  /** An operator continues with another manifest than the run began with. Items keep their index; new ones come last. */
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

/** Everything that is known of a type, apart from what it does to the state (`reduce.ts`) and how people read it (`event-words.ts`). */
interface EventInfo<Body> extends Options {
  readonly v: number;
  /** The phases in which it can happen. In another phase it is a fault of the record: it is reported, and its figures still count, because money that was spent must not be lost. */
  readonly phases: readonly PhaseName[];
  /** On disk for certain before it is published. The others follow within a second. */
  readonly synced: boolean;
  /** Of each field: whether a value that was read can be one, and what an export must know about it. */
  readonly shape: Readonly<Record<keyof Body, Check>>;
}

interface Options {
  /** Version of the shape, from 2 on. */
  readonly v?: number;
  /** Views outside (the page, exports) list it: with what the agent says and does, or with what happens to the run in addition to its iterations. */
  readonly listed?: 'agent' | 'run';
  /** After it a live condition may be met that was not before: while an iteration is under way, or at any time. */
  readonly judged?: 'in-iteration' | 'always';
  /** An agent that was interrupted would not have caused it. */
  readonly isWork?: true;
}

function synced<Body>(
  phases: readonly PhaseName[],
  shape: NoInfer<EventInfo<Body>['shape']>,
  options: Options = {},
): EventInfo<Body> {
  return { v: 1, synced: true, phases, shape, ...options };
}

function unsynced<Body>(
  phases: readonly PhaseName[],
  shape: NoInfer<EventInfo<Body>['shape']>,
  options: Options = {},
): EventInfo<Body> {
  return { v: 1, synced: false, phases, shape, ...options };
}

const BETWEEN: readonly PhaseName[] = ['starting', 'resting', 'waiting', 'paused'];
/** A run can be at work on it. In a pipeline, attempts are in flight in any of these. */
const LIVE: readonly PhaseName[] = [...BETWEEN, 'iterating'];
/** Also after the end, by another process or by a timer that has not been cleared yet. */
const RECORDED: readonly PhaseName[] = [...LIVE, 'ended'];
/** Also refused, before the run has started. */
const ANY: readonly PhaseName[] = ['idle', ...RECORDED];

const index = maybe(number);
const hook = word('before_iteration', 'after_iteration', 'on_stop', 'on_pause', 'on_error');
const seal = local(maybe(text));
const reviewed = {
  index,
  iteration: number,
  tree: maybe(text),
  cause: word('goal', 'stuck', 'every'),
  reviewer: text,
  evidence: text,
};

/** One row per type. */
export const EVENT_TYPES: { readonly [T in EventType]: EventInfo<EventBodies[T]> } = {
  'run-started': synced(['idle'], {
    runId: text,
    kind: word('loop', 'pipeline', 'agent', 'imported'),
    policy,
    spec: maybe(spec),
    agent: fields({ name: text, usage: word('live', 'end', 'none'), model: maybe(text) }),
    versions: each(text),
    rules: maybe(each(number)),
    items: maybe(number),
    pipeline: maybe(pipeline),
    task: maybe(text),
    seal,
  }),
  'baseline-observed': synced(BETWEEN, { observation }),
  'tests-accepted': synced(BETWEEN, { observation, by: text }),
  'iteration-started': synced(BETWEEN, {
    iteration: number,
    try: number,
    cookie: local(maybe(text)),
    session: maybe(text),
    configHash: maybe(text),
  }),
  // Only a process that has died with the machine could be lost, and the boundary before it shows that one was to start.
  'agent-spawned': unsynced(LIVE, { pid: local(number), startTime: local(text) }),
  'iteration-status': unsynced(['iterating'], {
    status: word('pre_hooks', 'executing', 'observing', 'post_hooks'),
    guard: maybe(text),
  }),
  'agent-said': unsynced(
    LIVE,
    { index, text: prose, omitted: maybe(number), matches: maybe(written(each(text))) },
    { listed: 'agent', judged: 'in-iteration', isWork: true },
  ),
  'tool-called': unsynced(
    LIVE,
    { index, id: maybe(text), name: prose, input: maybe(prose) },
    { listed: 'agent', isWork: true },
  ),
  'tool-answered': unsynced(
    LIVE,
    { index, id: maybe(text), failed: maybe(flag), denied: maybe(flag), output: maybe(prose) },
    { listed: 'agent', isWork: true },
  ),
  'usage-reported': unsynced(
    LIVE,
    {
      index,
      scope: oneOf<EventBodies['usage-reported']['scope']>({ request: true, turn: true, 'session-total': true }),
      id: maybe(text),
      session: maybe(text),
      model: maybe(text),
      spend,
      rates: maybe(object),
      priceListMissing: anything,
      notional: anything,
      rejected: maybe(texts),
      audit: anything,
      review: anything,
      unknown: anything,
    },
    { judged: 'in-iteration', isWork: true },
  ),
  'message-recorded': synced(
    LIVE,
    {
      session: text,
      index: number,
      message: written(anything),
      file: maybe(fields({ path: text, bytes: number, sha256: text })),
      call: maybe(fields({ id: text, model: maybe(text), spend, finishReason: text, invalid: maybe(each(text)) })),
      purpose: maybe(word('summary')),
    },
    { isWork: true },
  ),
  'context-reported': unsynced(
    LIVE,
    { usedTokens: orMissing(number), windowTokens: orMissing(number) },
    { judged: 'in-iteration' },
  ),
  'session-opened': unsynced(LIVE, { session: text, resumed: orMissing(flag) }),
  'limit-hit': unsynced(
    LIVE,
    { index, kind: word('usage-limit', 'overload'), resetsAt: maybe(text), message: prose },
    { listed: 'agent' },
  ),
  'error-seen': unsynced(
    LIVE,
    {
      index,
      kind: word('auth', 'billing', 'overload', 'rate', 'context', 'other'),
      message: prose,
      fingerprint: prose,
    },
    { listed: 'agent', judged: 'in-iteration', isWork: true },
  ),
  'permission-denied': unsynced(
    LIVE,
    { index, tool: prose, detail: maybe(prose) },
    { listed: 'agent', judged: 'in-iteration', isWork: true },
  ),
  'agent-finished': unsynced(
    LIVE,
    { index, summary: maybe(prose), stoppedBy: maybe(word('budget', 'turns')) },
    { listed: 'agent', judged: 'in-iteration' },
  ),
  'claim-made': synced(
    ['iterating'],
    {
      claim: word('done', 'blocked', 'continue'),
      evidence: prose,
      from: maybe(word('tool', 'status-line', 'words')),
      by: requester,
    },
    { listed: 'agent', judged: 'in-iteration' },
  ),
  'question-asked': synced(
    ['iterating'],
    { question: text, text: prose, choices: maybe(written(texts)), by: requester },
    { listed: 'run' },
  ),
  'answer-delivered': synced(['iterating'], { question: text }),
  'green-seen': unsynced(
    ['iterating'],
    { iteration: number, tree: text, passed: number },
    { listed: 'agent', isWork: true },
  ),
  'day-spend-seen': unsynced(
    RECORDED,
    { day: text, othersUsd: maybe(number), problem: maybe(text) },
    { judged: 'always' },
  ),
  'batch-spend-seen': unsynced(
    RECORDED,
    { batch: text, othersUsd: maybe(number), dearestUsd: maybe(number), problem: maybe(text) },
    { judged: 'always' },
  ),
  'review-started': synced(BETWEEN, reviewed, { listed: 'run' }),
  'review-ended': synced(
    BETWEEN,
    {
      ...reviewed,
      opinion: maybe(
        opinion(
          fields({
            answer: word('done', 'not_done', 'blocked', 'stuck'),
            reasons: texts,
            question: maybe(text),
            alive: maybe(flag),
          }),
        ),
      ),
      problem: maybe(
        fields({
          kind: word('limit', 'overload', 'silent', 'auth', 'billing', 'missing', 'changed', 'budget'),
          message: prose,
          resetsAt: maybe(text),
        }),
      ),
      durationMs: number,
      costUsd: maybe(number),
    },
    { listed: 'run' },
  ),
  tick: unsynced(RECORDED, {}, { judged: 'always' }),
  'iteration-ended': synced(['iterating'], {
    iteration: number,
    outcome: word('completed', 'failed', 'timed-out', 'skipped', 'interrupted', 'limited'),
    interruption: maybe(word('limit', 'failure', 'operator', 'crash', 'unpushed')),
    agentStarted: orMissing(flag),
    unanswered: maybe(flag),
    spendIncomplete: maybe(flag),
    durationMs: number,
    error: maybe(prose),
    ending: maybe(
      fields({
        cause: word('exit', 'timeout', 'idle', 'lingering', 'aborted', 'not-started'),
        stragglers: number,
        survivors: number,
        spentOn: maybe(flag),
      }),
    ),
    observation,
  }),
  // It follows from what is recorded, and the next boundary, which follows at once, syncs it, too.
  'verdict-reached': unsynced(LIVE, { iteration: number, verdict }),
  'hook-started': unsynced(LIVE, { hook }),
  'hook-ran': synced(
    LIVE,
    {
      hook,
      exitCode: maybe(number),
      durationMs: number,
      output: maybe(prose),
      failure: maybe(fields({ message: text, leadsTo: oneOf({ warn: true, block: true, pause: true }) })),
    },
    { listed: 'run' },
  ),
  'notification-sent': unsynced(RECORDED, {
    channel: word('command', 'webhook'),
    event: word('completed', 'stopped', 'blocked', 'error', 'waiting', 'paused'),
    error: maybe(prose),
  }),
  'work-committed': synced(
    LIVE,
    { iteration: number, commit: maybe(text), commits: maybe(number), error: maybe(prose) },
    { listed: 'run' },
  ),
  'tree-restored': synced(
    RECORDED,
    {
      tree: text,
      before: text,
      iteration: maybe(number),
      greenIn: maybe(number),
      undoes: maybe(flag),
      isBest: maybe(flag),
      error: maybe(prose),
    },
    { listed: 'run' },
  ),
  paused: synced(['starting', 'resting', 'waiting'], { reason: maybe(prose) }, { listed: 'run' }),
  resumed: synced(['paused'], {}, { listed: 'run' }),
  // For an answer while it iterates, for anything else between two iterations.
  'waiting-started': synced(
    LIVE,
    {
      for: word('usage-limit', 'overload', 'approval', 'answer', 'person'),
      until: maybe(text),
      reason: maybe(prose),
      choices: maybe(written(texts)),
    },
    { listed: 'run' },
  ),
  // A wait whose time has passed ends without having started.
  'waiting-ended': synced(LIVE, { reason: maybe(prose) }, { listed: 'run' }),
  'reboot-started': synced(BETWEEN, { reason: text }, { listed: 'run' }),
  'reboot-completed': synced(BETWEEN, { handover: maybe(prose) }, { listed: 'run' }),
  'command-received': synced(
    ANY,
    { command, by: requester, refused: maybe(text) },
    { listed: 'run', judged: 'always' },
  ),
  'limit-extended': synced(ANY, { limit: condition, by: requester }, { listed: 'run' }),
  'run-resumed': synced(
    RECORDED,
    {
      cause: word('crash', 'operator', 'moved'),
      spec: maybe(spec),
      policy: maybe(policy),
      rules: maybe(each(number)),
      changes: maybe(texts),
      seal,
    },
    { listed: 'run' },
  ),
  'item-started': unsynced(BETWEEN, { item: text, index: number }),
  'attempt-started': unsynced(BETWEEN, { item: text, index, attempt: number }),
  // Attempts end side by side and share a sync: it is waited for before anything follows from the end of one.
  'attempt-ended': unsynced(BETWEEN, {
    item: text,
    index,
    attempt: number,
    outcome: word('approved', 'rejected', 'retry', 'failed', 'interrupted', 'limited'),
    reasons: maybe(codes),
    score: maybe(number),
    message: maybe(prose),
    output: maybe(prose),
    hash: maybe(text),
    made: maybe(fields({ hash: maybe(text), said: maybe(prose) })),
    agentStarted: maybe(flag),
    auditSpendUnknown: anything,
    durationMs: number,
  }),
  'item-ended': unsynced(BETWEEN, {
    item: text,
    index: number,
    status: word('approved', 'rejected', 'failed'),
    attempts: number,
  }),
  'item-reopened': synced(BETWEEN, { item: text, index: number, isLost: maybe(flag) }, { listed: 'run' }),
  'manifest-changed': synced(
    BETWEEN,
    {
      items: number,
      withdrawn: list(number),
      withdrawnItems: maybe(texts),
      policy,
      spec,
      pipeline,
      seal,
    },
    { listed: 'run' },
  ),
  'run-ended': synced(LIVE, {
    state: word('completed', 'stopped', 'error'),
    class: maybe(stopClass),
    reasons,
    error: maybe(prose),
  }),
};

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(EVENT_TYPES, text);
}

/** The types of which something is so. */
export function typesWhere(isSo: (info: Options) => boolean): readonly EventType[] {
  return (Object.keys(EVENT_TYPES) as EventType[]).filter((type) => isSo(EVENT_TYPES[type]));
}

/** After these a live condition may be met that was not before. */
export const LIVE_EVENTS: ReadonlySet<EventType> = new Set(typesWhere(({ judged }) => judged !== undefined));

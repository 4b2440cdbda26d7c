import type { LoopState, TerminalState } from './loop-state.js';
import type { EventBodies, WaitingFor } from './run-event.js';
import type { StopClass } from './stop-class.js';
import type { StopReason, Verdict } from './verdict.js';

/** The tries in a row that the provider refused. */
export interface Refusals {
  /** When the first of them ended. */
  readonly since: string;
  readonly tries: number;
}

/** Refusals that no iteration has followed yet, and the wait after the last one. Only another refusal makes a wait due. */
export interface Refused extends Refusals {
  /** When the last of them ended. Absent in older snapshots. */
  readonly lastAt?: string | undefined;
  /** An object: it has started, and what ended it was not its own end. */
  readonly wait: 'due' | { readonly since: string; readonly until?: string | undefined } | 'over';
}

/** The last moment of an iteration at which the agent's own tool showed all tests green, with a snapshot of the files. */
export interface GreenSeen {
  readonly tree: string;
  readonly at: string;
  readonly passed: number;
}

/** An iteration, or an attempt of a pipeline, that has started and not ended. */
export interface Iterating {
  readonly name: 'iterating';
  /** Of an attempt: the number of the attempt. */
  readonly iteration: number;
  readonly try: number;
  readonly startedAt: string;
  readonly cookie?: string | undefined;
  readonly pid?: number | undefined;
  readonly pidStartTime?: string | undefined;
  /** How far it is. Until it is `executing`, no agent has been started. */
  readonly step?: EventBodies['iteration-status']['status'] | undefined;
  /** Messages to the agent since it started, too late for its prompt. */
  readonly steersSince?: number | undefined;
  /** The agent has asked a person, and waits for the answer. */
  readonly asking?: { readonly since: string; readonly until?: string | undefined } | undefined;
  /** Those before it. It has started, so the wait for them is over. */
  readonly refusals?: Refusals | undefined;
  readonly green?: GreenSeen | undefined;
}

/** How a run ended, as every view and `state.json` show it. */
export interface RunEnd {
  readonly class?: StopClass | undefined;
  readonly reasons: readonly StopReason[];
  readonly error?: string | undefined;
  readonly at: string;
  /** A pause that was requested: the run ended first. */
  readonly pauseAsked?: PauseRequest | undefined;
}

interface Between {
  readonly refused?: Refused | undefined;
}

/** Where a run is. In a pipeline, attempts are in flight in any phase: they are in `PipelineState.open`. */
export type Phase =
  | { readonly name: 'idle' }
  /** Started or resumed, and no iteration has started since. */
  | ({ readonly name: 'starting' } & Between)
  | Iterating
  /** Between two iterations. */
  | ({ readonly name: 'resting'; readonly isRebooting?: true | undefined } & Between)
  | ({
      readonly name: 'waiting';
      readonly for: Exclude<WaitingFor, 'answer'>;
      readonly since: string;
      readonly until?: string | undefined;
    } & Between)
  /** By whom and why is in the request, which lasts as long as the pause. */
  | ({ readonly name: 'paused' } & Between)
  | ({ readonly name: 'ended'; readonly state: TerminalState; readonly end: RunEnd } & Between);

export interface PauseRequest {
  readonly by: string;
  readonly reason?: string | undefined;
}

/** What was requested and has not happened yet. A phase change leaves them as they are. */
export interface Requests {
  readonly stop?: { readonly by: string; readonly now: boolean } | undefined;
  /** Comes after the iteration and lasts until it is taken back. */
  readonly pause?: PauseRequest | undefined;
  /** The next iteration begins a fresh session. */
  readonly reboot?: { readonly by: string } | undefined;
  /** Messages to the agent that no ended iteration has been given yet. */
  readonly steers: readonly string[];
}

interface HasPhase {
  readonly phase: Phase;
}

/** Spec 096's state of a run. */
export function loopStateOf({ phase }: HasPhase): LoopState {
  switch (phase.name) {
    case 'idle':
    case 'paused':
    case 'waiting':
      return phase.name;
    case 'starting':
      return 'running';
    case 'iterating':
      return phase.asking === undefined ? 'running' : 'waiting';
    case 'resting':
      return phase.isRebooting === true ? 'rebooting' : 'running';
    case 'ended':
      return phase.state;
    default:
      return phase satisfies never;
  }
}

export function hasEnded({ phase }: HasPhase): boolean {
  return phase.name === 'ended';
}

export function endOf({ phase }: HasPhase): RunEnd | undefined {
  return phase.name === 'ended' ? phase.end : undefined;
}

/** The iteration that has started and not ended. */
export function openIteration({ phase }: HasPhase): Iterating | undefined {
  return phase.name === 'iterating' ? phase : undefined;
}

export interface CurrentWait {
  readonly for: WaitingFor;
  readonly until?: string | undefined;
  readonly since: string;
}

/** What the run waits for: the provider, an approval, or the answer to its agent's question. */
export function waitingOf({ phase }: HasPhase): CurrentWait | undefined {
  if (phase.name === 'waiting') return { for: phase.for, until: phase.until, since: phase.since };
  const asking = phase.name === 'iterating' ? phase.asking : undefined;
  return asking && { for: 'answer', until: asking.until, since: asking.since };
}

/** An iteration has started and its agent has not. */
export function isBeforeAgent(state: HasPhase): boolean {
  const open = openIteration(state);
  return open !== undefined && (open.step === undefined || open.step === 'pre_hooks');
}

/** The run is about to end: no iteration follows, and what is left to do is to commit and to clean up. */
export function isEnding({
  phase,
  hook,
  verdict,
}: HasPhase & { readonly hook?: string | undefined; readonly verdict?: Verdict | undefined }): boolean {
  if (phase.name === 'ended') return false;
  return hook === 'on_stop' || (verdict?.stop === true && phase.name !== 'iterating');
}

/** The requester of a stop when the process gets this signal, as every process does when a machine shuts down. */
export const SYSTEM = 'SIGTERM';

/** A run that ended because the machine shut down, which no person decided: it is resumed as after a loss of power. */
export function isStoppedBySystem(
  end: { readonly class?: StopClass | undefined } | undefined,
  stop: Requests['stop'],
): boolean {
  return end?.class === 'operator' && stop?.by === SYSTEM;
}

/** Refusals that the phase carries, if the wait for them can still matter. */
export function refusedIn(phase: Phase): Refused | undefined {
  if (phase.name === 'idle') return undefined;
  if (phase.name !== 'iterating') return phase.refused;
  return phase.refusals && { ...phase.refusals, wait: 'over' };
}

export function withRefused(phase: Phase, refused: Refused | undefined): Phase {
  if (phase.name === 'idle') return phase;
  return phase.name === 'iterating' ? { ...phase, refusals: refusalsOf(refused) } : { ...phase, refused };
}

export function refusalsOf(refused: Refused | undefined): Refusals | undefined {
  return refused && { since: refused.since, tries: refused.tries };
}

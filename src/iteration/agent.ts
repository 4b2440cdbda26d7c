import type { AgentEvent } from '../model/agent-event.js';
import type { AgentEnding, UsageReporting } from '../model/run-event.js';
import type { Told } from './prompt.js';

/** What one invocation of an agent is to do. */
export interface AgentTask {
  readonly prompt: string;
  /** The conversation to continue with; absent for a new one. */
  readonly session?: string | undefined;
  readonly budgetUsd?: number | undefined;
  /** Handed down to everything that the agent starts. */
  readonly cookie: string;
  /** By it what the agent reports is known to be its own. Never recorded. */
  readonly claimKey?: string | undefined;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Aborted when it continues spending although it was told to end: it gets no more time for it. */
  readonly cutOff?: AbortSignal | undefined;
  /** For an agent that keeps its own conversation: what is new. */
  readonly told?: Told | undefined;
}

/** What an agent tells while it works. Callbacks must not throw. */
export interface AgentListener {
  onEvent(event: AgentEvent): void;
  /** It runs: told before it is given its prompt. */
  onSpawn(process: { readonly pid: number; readonly startTime: string }): void;
  /** Every line of raw output, for the record of it. */
  onLine(
    line: { readonly text: string; readonly bytes: number; readonly omittedBytes: number },
    source: 'stdout' | 'stderr',
  ): void;
}

export interface AgentEnd extends AgentEnding {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  /** Why it could not be started. */
  readonly error?: string | undefined;
}

/**
 * What turns a prompt into work. `run` never rejects: whatever goes wrong is an event or the end. Events are handed over
 * one by one as they come, so that a budget is judged before the next line is read.
 */
export interface Agent {
  readonly name: string;
  readonly usage: UsageReporting;
  readonly canResume: boolean;
  /** Whether an end without a result is a failure. */
  readonly tellsResult: boolean;
  /** Each of its requests tells how full the context is, but not how large the window is. */
  readonly contextOfRequests?: boolean | undefined;
  /** It works in this process, and its conversation is on record: whatever cut it off, it continues where it was. */
  readonly keepsConversation?: boolean | undefined;
  run(task: AgentTask, listener: AgentListener, signal: AbortSignal): Promise<AgentEnd>;
  /** What a fresh conversation is to know of one that is given up; undefined when it cannot tell. Never rejects. */
  handOver?(
    session: string,
    listener: Pick<AgentListener, 'onEvent'>,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** Usage that it has on record for a session since a time, for what its stream could not tell before a crash. */
  recordedUsage?(session: string, since: string): Promise<readonly AgentEvent[]>;
}

import type { AgentEvent } from '../model/agent-event.js';
import type { UsageReporting } from '../model/run-event.js';
import type { AgentSpec } from '../model/run-spec.js';

export type AgentEnvironment = Readonly<Record<string, string | undefined>>;

/** What an iteration asks of an agent. */
export interface AgentRequest {
  readonly prompt: string;
  readonly workingDir: string;
  /** The conversation to go on with; absent for a new one. */
  readonly session?: string | undefined;
  /** The id for a new conversation, for agents that let their caller choose it. */
  readonly newSession?: string | undefined;
  /** What the policy's cost limit has left, for agents that have a cap of their own. */
  readonly budgetUsd?: number | undefined;
  /** The environment of the runner. */
  readonly environment: AgentEnvironment;
}

/** How an agent is called. */
export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: AgentEnvironment;
  /** Goes to its standard input: never by arguments, which have a limit and are seen by others. */
  readonly input: string;
  /** The conversation that it will be, where that is known before the agent says so. */
  readonly session?: string | undefined;
}

/** A file in which an agent keeps its own account of a session: what the stream did not tell before a crash. */
export interface SessionRecord {
  readonly path: string;
  /** Usage of requests made since the time given. */
  parse(line: string, since: string): readonly AgentEvent[];
}

/** A file that an agent writes beside its stream and that tells more: followed while it works, read after a crash. */
export interface Sidecar {
  /** It lies in here, at any depth; it need not exist yet. */
  readonly folder: string;
  matches(fileName: string): boolean;
  /** A reader for all its lines, in order. From lines older than `since` it only learns. */
  reader(since: string): (line: string) => readonly AgentEvent[];
}

export interface ReaderSetting {
  readonly now: () => Date;
  /** That of the invocation. */
  readonly session?: string | undefined;
}

/** Reads the lines of one invocation, for agents whose lines mean something only together. */
export interface LineReader {
  read(line: string): readonly AgentEvent[];
  /** One line of standard error, where a reader has use for it; else `parseError` reads it. */
  readError?(line: string): readonly AgentEvent[];
  /** Nothing more comes. */
  end(): readonly AgentEvent[];
}

/** One agent CLI: how it is called and how its output is read. Pure; it starts nothing and keeps nothing. */
export interface AgentAdapter {
  readonly name: string;
  readonly usage: UsageReporting;
  readonly canResume: boolean;
  /** What ends it, in order, before SIGKILL, and how long each is given. */
  readonly signals: readonly ('SIGINT' | 'SIGTERM')[];
  readonly graceMs: number;
  /**
   * How the use of the context is known: it reports that itself, or each request has its tokens and the window is that of
   * the model. Absent: it is not known.
   */
  readonly context?: 'reported' | 'requests';
  /** Whether it always says how it went: an end without a result is then a failure. */
  readonly tellsResult: boolean;
  invocation(agent: AgentSpec, request: AgentRequest): Invocation;
  /** Reads one line of its standard output by itself. Survives anything. */
  parse(line: string): readonly AgentEvent[];
  /** Used instead of `parse` where there is one. */
  reader?(setting: ReaderSetting): LineReader;
  /** Reads one line of its standard error: some say only there why they do not begin. */
  parseError?(line: string): readonly AgentEvent[];
  sidecar?(session: string, request: Pick<AgentRequest, 'environment'>): Sidecar | undefined;
  sessionRecord?(session: string, request: Pick<AgentRequest, 'workingDir' | 'environment'>): SessionRecord | undefined;
  /** Variables of this environment that decide who is billed, each as a sentence for the start of a run. */
  billing?(environment: AgentEnvironment): readonly string[];
}

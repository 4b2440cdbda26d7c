import type { AgentEvent } from '../model/agent-event.js';
import type { UsageReporting } from '../model/run-event.js';
import type { AgentSpec } from '../model/run-spec.js';

export type AgentEnvironment = Readonly<Record<string, string | undefined>>;

/** What an agent gets from an iteration. */
export interface AgentRequest {
  readonly prompt: string;
  readonly workingDir: string;
  /** The session to resume. Absent: a new one. */
  readonly session?: string | undefined;
  /** The id of a new session, for agents that let their caller choose it. */
  readonly newSession?: string | undefined;
  /** What the cost limit of the policy has left, for agents that can enforce it themselves. */
  readonly budgetUsd?: number | undefined;
  /** The environment of the runner. */
  readonly environment: AgentEnvironment;
}

/** What an agent gets from a review. */
export interface ReviewRequest extends Pick<AgentRequest, 'prompt' | 'environment' | 'budgetUsd' | 'newSession'> {
  /** A file with the JSON Schema of the answer, outside the folder that the agent runs in. */
  readonly schemaPath: string;
  /** The folder above the one that the agent runs in, with its `reviewFiles`. */
  readonly folder: string;
}

/** A file that a reviewer needs: with this text, or a link to the first of these files that exists (if none does, empty). */
export type ReviewFile = { readonly path: string } & (
  | { readonly text: string }
  | { readonly firstOf: readonly string[] }
);

/** How an agent is called. */
export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: AgentEnvironment;
  /** For its standard input: arguments have a limit, and other users see them. */
  readonly input: string;
  /** The session, if it is known before the agent reports it. */
  readonly session?: string | undefined;
}

/** A file in which an agent records a session: it has what the stream did not report before a crash. */
export interface SessionRecord {
  readonly path: string;
  /** Usage of requests made since the time given. */
  parse(line: string, since: string): readonly AgentEvent[];
}

/** A file that an agent writes in addition to its stream: Pawl follows it while the agent works, and reads it after a crash. */
export interface Sidecar {
  /** The file is in here, at any depth. It may not exist yet. */
  readonly folder: string;
  matches(fileName: string): boolean;
  /** A reader for all its lines, in order. Lines older than `since` give no events. */
  reader(since: string): (line: string) => readonly AgentEvent[];
}

export interface ReaderSetting {
  readonly now: () => Date;
  /** The one of the invocation. */
  readonly session?: string | undefined;
}

/** Reads the lines of one invocation, for agents whose lines depend on each other. */
export interface LineReader {
  read(line: string): readonly AgentEvent[];
  /** One line of standard error. Absent: `parseError` reads it. */
  readError?(line: string): readonly AgentEvent[];
  /** There are no more lines. */
  end(): readonly AgentEvent[];
}

/** How an agent CLI is called and how its output is read. Pure: it starts nothing and keeps nothing. */
export interface AgentAdapter {
  readonly name: string;
  readonly usage: UsageReporting;
  readonly canResume: boolean;
  /** What ends it, in order, before SIGKILL. */
  readonly signals: readonly ('SIGINT' | 'SIGTERM')[];
  /** How long it has after each signal. */
  readonly graceMs: number;
  /**
   * How the use of the context is known: the agent reports it, or each request has its tokens and the window is the one
   * of the model. Absent: it is not known.
   */
  readonly context?: 'reported' | 'requests';
  /** False: a request has no model, so its window is known only if the config names the model. */
  readonly namesModel?: false;
  /** Whether it always reports a result: then an end without one is a failure. */
  readonly tellsResult: boolean;
  invocation(agent: AgentSpec, request: AgentRequest): Invocation;
  /** Reads one line of its standard output on its own. Never throws. */
  parse(line: string): readonly AgentEvent[];
  /** Used instead of `parse`. */
  reader?(setting: ReaderSetting): LineReader;
  /** Reads one line of its standard error: some report only there why they do not start. */
  parseError?(line: string): readonly AgentEvent[];
  sidecar?(session: string, request: Pick<AgentRequest, 'environment'>): Sidecar | undefined;
  sessionRecord?(session: string, request: Pick<AgentRequest, 'workingDir' | 'environment'>): SessionRecord | undefined;
  /** The variables of this environment that decide who pays, each as a sentence for the start of a run. */
  billing?(environment: AgentEnvironment): readonly string[];
}

/** An agent CLI that can review. */
export interface ReviewAdapter extends AgentAdapter {
  /** The call: one answer, without tools, and without settings, instructions or servers of the folder. */
  review(agent: AgentSpec, request: ReviewRequest): Invocation;
  /** Files that the call needs, in the folder above the one that the agent runs in. */
  reviewFiles?(environment: AgentEnvironment): readonly ReviewFile[];
}

import type { AgentEvent } from '../model/agent-event.js';
import type { Spend } from '../model/usage.js';

/** What is known of a session as a whole. Later parts complete earlier ones. */
export interface AboutSession {
  readonly agent?: string | undefined;
  readonly version?: string | undefined;
  readonly model?: string | undefined;
  readonly session?: string | undefined;
  /** Where the agent worked. */
  readonly folder?: string | undefined;
  /** What it was asked to do first. */
  readonly prompt?: string | undefined;
}

/** A part of a session that another tool has recorded. `at`: wall time, ISO 8601. */
export type SessionPart =
  | { readonly kind: 'about'; readonly about: AboutSession }
  /** A model call begins, if its id is new. */
  | { readonly kind: 'call'; readonly id?: string | undefined; readonly at?: string | undefined }
  | { readonly kind: 'event'; readonly event: AgentEvent; readonly at?: string | undefined }
  /** A person wrote: the agent did not work in the time before. */
  | { readonly kind: 'prompt'; readonly at?: string | undefined }
  /** The agent handed its work in. */
  | { readonly kind: 'handed-in'; readonly evidence: string }
  /** What the tool says that all of its calls have used: its last figure counts. */
  | { readonly kind: 'total'; readonly spend: Spend }
  /** The same for the calls since the last such part. */
  | { readonly kind: 'turn'; readonly spend: Spend };

/** Reads a recording of lines. */
export interface RecordingReader {
  read(line: string): readonly SessionPart[];
}

export function eventParts(events: readonly AgentEvent[], at?: string): readonly SessionPart[] {
  return events.map((event) => ({ kind: 'event', event, at }));
}

import type { ProgramSearch } from './outside-programs.js';

/** `note` is worth knowing; only a `problem` keeps a run from working. */
export type Level = 'ok' | 'note' | 'warning' | 'problem';

export type FindingGroup = 'machine' | 'agents' | 'disk' | 'config';

/** One thing that was inspected. */
export interface Finding {
  readonly group: FindingGroup;
  readonly name: string;
  readonly level: Level;
  /** What was found, as a sentence. Never a secret. */
  readonly found: string;
  /** What to do about it, in one line. */
  readonly fix?: string | undefined;
}

/** What is to be inspected, and as whom. */
export interface DoctorRequest {
  /** An absolute path. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The wall clock, in milliseconds. */
  readonly now: () => number;
  readonly search: ProgramSearch;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
  /** Undefined where the system has no users. */
  readonly userId: number | undefined;
  /** Where Pawl keeps what is not in the project. It need not be there yet. */
  readonly stateFolder: string;
  /** Where the sockets of live runs are. It need not be there yet. */
  readonly runtimeFolder: string;
  /** No single look takes longer. */
  readonly timeoutMs: number;
}

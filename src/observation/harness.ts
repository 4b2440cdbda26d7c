/**
 * The setting in which the harness runs commands, one after the other: when one ends, everything that carries the cookie
 * is killed.
 */
export interface Harness {
  readonly workingDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cookie: string;
  readonly signal?: AbortSignal | undefined;
  /** Where commands run instead of directly in the working directory. */
  readonly room?: HarnessRoom | undefined;
}

/** A place that shows the working directory differently, for one command. */
export interface HarnessRoom {
  wrap(command: StartedCommand): StartedCommand;
  /** Part of the names of tests that Pawl itself added: they are not compared with those of the start. */
  readonly addedTests?: string | undefined;
  /** Where files that the command wrote into the working directory are found. */
  readonly writtenDir: string;
  /** Told how the command ended. Must not throw. */
  onEnded(outcome: { readonly exitCode?: number | undefined; readonly output: string }): void;
}

export interface StartedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

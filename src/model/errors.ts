import { systemErrorWords } from './system-error-words.js';

/** One thing wrong with an input: where it is and what would be allowed there. */
export interface Issue {
  /** The key path, such as `stop.limits[1].count`; empty for the input as a whole. */
  readonly path: string;
  readonly message: string;
  /** File, line and column, such as `pawl.yaml:7:5`, where the input came from a file. */
  readonly place?: string;
  /** The key itself is wrong, not its value. */
  readonly unknownKey?: true;
}

export type PawlErrorCode =
  | 'InvalidState'
  | 'AlreadyRunning'
  | 'PromptLoadFailed'
  | 'IterationTimeout'
  | 'FileSystemError'
  | 'ConfigError'
  | 'LockedError'
  | 'JournalDamaged';

/** The common ground of every error that Pawl throws on purpose. */
export class PawlError extends Error {
  readonly code: PawlErrorCode;

  constructor(code: PawlErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.name = code;
  }
}

/** An input that cannot be used: every issue is named, nothing was started. */
export class ConfigError extends PawlError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super('ConfigError', issues.map(formatIssue).join('\n'));
    this.issues = issues;
  }
}

/** A command or call that the run's state does not allow. */
export class InvalidState extends PawlError {
  constructor(state: string, action: string, message = `cannot ${action} a run that is ${state}`) {
    super('InvalidState', message);
  }
}

export class AlreadyRunning extends PawlError {
  constructor(runId: string) {
    super('AlreadyRunning', `run ${runId} is already running`);
  }
}

export class PromptLoadFailed extends PawlError {
  constructor(path: string, cause: unknown) {
    super('PromptLoadFailed', systemErrorWords(`the prompt ${path} cannot be read: ${messageOf(cause)}`), { cause });
  }
}

export class IterationTimeout extends PawlError {
  constructor(iteration: number, timeoutMs: number) {
    super('IterationTimeout', `iteration ${iteration} did not end within ${timeoutMs} ms`);
  }
}

/** The disk refused. `path` and the operation are in the message. */
export class FileSystemError extends PawlError {
  readonly path: string;

  constructor(operation: string, path: string, cause: unknown) {
    super('FileSystemError', `cannot ${operation} ${path}: ${messageOf(cause)}`, { cause });
    this.path = path;
  }
}

/** No agent, command or hook can run there any more. */
export class WorkingDirGone extends PawlError {
  constructor(workingDir: string, more = '') {
    super('FileSystemError', `the working directory ${workingDir} is gone: it was removed during the run${more}`);
  }
}

/** Another process holds the run or the working tree. */
export class LockedError extends PawlError {
  readonly path: string;

  constructor(path: string, holder: string) {
    super('LockedError', `${holder}\n  the lock is ${path}`);
    this.path = path;
  }
}

/** A record that cannot be read in full: the line is named and nothing after it is used. */
export class JournalDamaged extends PawlError {
  readonly path: string;
  readonly line: number;

  constructor(path: string, line: number, what: string) {
    super('JournalDamaged', `${path}:${line}: ${what}`);
    this.path = path;
    this.line = line;
  }
}

export function formatIssue(issue: Issue): string {
  const where = [issue.place, issue.path].filter((part) => part !== undefined && part !== '').join(' ');
  return where === '' ? issue.message : `${where}: ${issue.message}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

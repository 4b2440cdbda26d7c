import type { Line } from './line-splitter.js';
import type { ProcessName } from './process-table.js';
import type { ShellPool } from './shell-pool.js';
import type { StandbyProgram } from './standby-program.js';

/** Why a process ended. The first cause wins. */
export type DeathCause = 'exit' | 'timeout' | 'idle' | 'lingering' | 'aborted' | 'not-started';

export interface SuperviseRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; the cookie is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Goes to its standard input, which is then closed. */
  readonly input?: string | undefined;
  /** Unique: by it everything that the process leaves behind is found. */
  readonly cookie: string;
  /** By it the agent of an iteration proves who it is. Without one the process gets none, not even an inherited one. */
  readonly claimKey?: string | undefined;
  /** What to send, in order, before SIGKILL. */
  readonly signals: readonly ('SIGINT' | 'SIGTERM')[];
  /** How long to wait after each. */
  readonly graceMs: number;
  readonly timeoutMs: number;
  /** Callbacks must not throw. */
  readonly onSpawn?: ((name: ProcessName) => void) | undefined;
  /** Something was printed, a whole line or not. */
  readonly onLife?: (() => void) | undefined;
  readonly onLine: (line: Line, source: 'stdout' | 'stderr') => void;
  readonly lineLimitBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Kills it at once, whatever is left of its grace. */
  readonly cutOff?: AbortSignal | undefined;
  /** Shells that stand by, for whoever runs one command line after the other. */
  readonly shells?: ShellPool | undefined;
  /** For whoever starts the same program one time after the other. */
  readonly standby?: StandbyProgram | undefined;
}

export interface Ending {
  readonly cause: DeathCause;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly durationMs: number;
  /** Processes that it left behind and that were killed. */
  readonly stragglers: number;
  /** Stragglers that could not be killed. */
  readonly survivors: readonly ProcessName[];
  /** Why it could not be started. */
  readonly error?: string | undefined;
  /** It was killed before its grace was over. */
  readonly wasCutOff?: true | undefined;
}

/** A process under supervision. */
export interface Supervised {
  /** Ends it for a reason of the caller's; a second call changes nothing. */
  kill(cause: DeathCause): void;
  /** Never rejects. Settles when the process and everything it started are gone. */
  readonly ended: Promise<Ending>;
}

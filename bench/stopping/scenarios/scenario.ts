/** One thing that the scripted agent does. What asks the model costs money; the ledger has the bill. */
export type Step =
  | { readonly do: 'say'; readonly text: string; readonly usd: number; readonly isSubagent?: boolean }
  | { readonly do: 'write'; readonly path: string; readonly text: string; readonly usd: number }
  | { readonly do: 'remove'; readonly path: string; readonly usd: number }
  | {
      readonly do: 'tool';
      readonly name: string;
      readonly input?: Readonly<Record<string, string>>;
      readonly output: string;
      readonly isError?: boolean;
      readonly usd: number;
    }
  /** The tool does not answer for that long. */
  | { readonly do: 'slow-tool'; readonly ms: number; readonly usd: number }
  | { readonly do: 'deny'; readonly tool: string; readonly usd: number }
  /** Nothing is printed. */
  | { readonly do: 'wait'; readonly ms: number }
  /** Prints without end and without cost. */
  | { readonly do: 'chatter'; readonly ms: number }
  /** The ledger gets the time: whatever should end the agent has now happened. */
  | { readonly do: 'mark' }
  /** From here on SIGTERM, SIGINT and SIGHUP are ignored. */
  | { readonly do: 'go-deaf' }
  /** A process in a session of its own that keeps standard output open; a deaf one ignores signals, too. */
  | { readonly do: 'leave-child'; readonly ms: number; readonly isDeaf: boolean }
  /** The provider refuses: the error as Claude Code prints it, then exit code 1. */
  | { readonly do: 'refuse'; readonly why: Refusal; readonly resetsInMs?: number }
  /** Ends at once, without a result. What it is billed beyond what it told stands in the ledger only. */
  | { readonly do: 'crash'; readonly exitCode: number; readonly message: string; readonly untoldUsd: number }
  /** The result is printed here; what follows happens after it. */
  | { readonly do: 'finish' };

export type Refusal = 'usage-limit' | 'overload' | 'rate' | 'auth' | 'billing';

/** One call of the agent. */
export type Call = readonly Step[];

export type Ending = 'done' | 'gave up' | 'out of budget' | 'blocked' | 'waiting';

/** What the person who starts the run asks for. Each runner gets its nearest setting of every line. */
export interface Wants {
  /** What tells that it is done: tests that the harness runs, a file, or the words of the agent. */
  readonly goal: 'tests' | 'done-file' | 'marker';
  /** The person asks for something new, and tests may be green at the start. Absent: as `pawl init --yes` takes it. */
  readonly task?: 'build';
  readonly maxIterations: number;
  readonly budgetUsd: number;
  readonly maxDurationMs?: number;
  readonly iterationTimeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly testTimeoutMs?: number;
  /** The longest wait for the provider. */
  readonly maxWaitMs?: number;
}

export interface Project {
  /** What works at the start: lines of `src/features.txt`. */
  readonly features: readonly string[];
  /** Each is a file in `tests/` that wants the feature of its name. None: the project has no tests. */
  readonly tests: readonly string[];
  /** A test that lies: after these calls, the first so many runs of it give this answer. */
  readonly flake?: {
    readonly test: string;
    readonly afterCall: number;
    readonly runs: number;
    readonly says: 'ok' | 'not ok';
  };
  /** After the tests a linter always fails, on old code that is not the task. Nothing that it prints can be read as counts. */
  readonly hasBrokenLinter?: boolean;
  /** Each run of the tests writes another content into this file. */
  readonly testsWrite?: string;
  /** Other files at the start, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Lines of `.gitignore`. */
  readonly ignored?: readonly string[];
}

/** How the agent's usage is told, when it is not as usual. */
export interface Billing {
  readonly model?: string;
  /** `end`: only with the result. */
  readonly told?: 'live' | 'end';
  /** The bill is that many times the list price of what is told. */
  readonly times?: number;
  /** It does not keep to `--max-budget-usd`. */
  readonly ignoresBudget?: boolean;
}

export interface Scenario {
  readonly name: string;
  /** What happens, in a line. */
  readonly story: string;
  readonly wants: Wants;
  readonly project: Project;
  readonly calls: readonly Call[];
  /** Every call after those. */
  readonly rest: Call;
  readonly billing?: Billing;
  /** Goals that a user of Pawl names in place of the usual ones, as in the config. */
  readonly goals?: readonly string[];
  /** Conditions that a user of Pawl adds to those that `pawl init` writes, as in the config. */
  readonly addsFailure?: readonly Readonly<Record<string, unknown>>[];
  /** Other keys that a user of Pawl adds to the config. */
  readonly adds?: Readonly<Record<string, unknown>>;
  /** The runner is killed with SIGKILL at the first mark, and started again the way it is meant to be. */
  readonly isCrash?: true;
  /** What should end the agent happens that long after the start, not at a mark. */
  readonly triggerAfterMs?: number;
  /** A runner that is alive and quiet after this time is waiting. */
  readonly watchMs?: number;
}

import type { ConditionFunction } from '../model/condition-function.js';
import type { StopCondition } from '../model/condition.js';

/** A command line that a shell runs, alone or with its timeout. */
export type CommandConfig = string | { readonly command: string; readonly timeout?: string };

/** The command that runs the tests, and the report that it writes, as a path or glob in the working directory. */
export type TestsConfig = string | { readonly command: string; readonly timeout?: string; readonly report?: string };

export type HookConfig =
  | string
  | { readonly command: string; readonly timeout?: string; readonly onFailure?: 'warn' | 'block' | 'pause' };

/**
 * A condition in full (`maxCost(5)` builds one), in shorthand (`'all_tests_pass'`, `{ max_cost: 5 }`), or a named function
 * of code, whose answer is recorded.
 */
export type ConditionConfig = StopCondition | string | Readonly<Record<string, unknown>> | ConditionFunction;

export interface StopShorthands {
  readonly maxTestFailureStreak?: number;
  readonly maxNoProgressIterations?: number;
  readonly stopOnPatterns?: readonly string[];
  readonly customScripts?: readonly string[];
}

export interface StopConfig extends StopShorthands {
  readonly success?: readonly ConditionConfig[];
  readonly failure?: readonly ConditionConfig[];
  readonly limits?: readonly ConditionConfig[];
  /** Each takes the class of its kind. */
  readonly conditions?: readonly ConditionConfig[];
  readonly stopOnFirst?: boolean;
  readonly confirm?: number;
  readonly atLeast?: number;
}

export interface AgentConfig {
  readonly name?: string;
  readonly command?: string | readonly string[];
  readonly args?: readonly string[];
  readonly model?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly permissions?: 'edit' | 'bypass' | 'agent';
  readonly allow?: readonly string[];
}

/** A second opinion on the work, by an agent or a program that does not see the working directory. */
export interface ReviewConfig {
  readonly agent?: string;
  readonly command?: string | readonly string[];
  readonly args?: readonly string[];
  readonly model?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly when?: 'goal' | 'stuck';
  readonly every?: number;
  /** US dollars for all reviews of a run; 1 unless given. */
  readonly maxCost?: number;
  readonly timeout?: string;
  readonly goal?: string;
}

export interface SessionConfig {
  readonly mode?: 'continue' | 'fresh';
  readonly timeout?: string;
  readonly persist?: boolean;
  readonly stateDir?: string;
  readonly claudeCommand?: string | readonly string[];
  readonly sessionTimeout?: string;
  readonly persistSessions?: boolean;
}

/** US dollars per million tokens. */
export interface PriceConfig {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly cacheWriteHour?: number;
}

/** The config in code: the keys of `pawl.yaml` in camelCase, with the same defaults. Durations are texts: `'90s'`. */
export interface LoopConfig {
  readonly workingDir?: string;
  readonly promptPath?: string;
  readonly prompt?: string;
  readonly agent?: string | AgentConfig;
  /** Agent CLIs that Pawl does not know, by name. */
  readonly agents?: Readonly<Record<string, string | readonly string[] | OwnAgentConfig>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly tests?: TestsConfig;
  readonly checks?: Readonly<Record<string, CommandConfig>>;
  readonly review?: string | ReviewConfig;
  readonly stop?: StopConfig;
  readonly stopConditions?: StopShorthands;
  /** 25 unless given; 0 for no such limit. */
  readonly maxIterations?: number;
  /** US dollars a day over all runs of the user on this machine. */
  readonly maxCostPerDay?: number;
  readonly iterationDelay?: string | 0;
  readonly iterationTimeout?: string;
  readonly idleTimeout?: string;
  readonly maxWait?: string;
  /** How long a call of `ask_person`, and then the run, waits for a person's answer. */
  readonly questions?: { readonly callWait?: string | 0; readonly maxWait?: string | 0 };
  readonly contextRedlinePercent?: number;
  readonly attendedMode?: boolean;
  readonly session?: SessionConfig;
  readonly hooks?: {
    readonly beforeIteration?: HookConfig;
    readonly afterIteration?: HookConfig;
    /** The run ends already: its failure is only a warning. */
    readonly onStop?: string | { readonly command: string; readonly timeout?: string; readonly onFailure?: 'warn' };
    readonly onPause?: HookConfig;
    readonly onError?: HookConfig;
  };
  /** `never` unless given. */
  readonly commit?: 'never' | 'iteration' | 'end';
  /** Where the record is kept. The state home, unless it cannot be written or `CI` is set. */
  readonly records?: 'home' | 'project';
  readonly trackFileChanges?: boolean;
  /** Paths or globs of tests and test settings that the agent may change: the original tests do not put them back. */
  readonly testsMayChange?: readonly string[];
  /** Paths or globs of files that git ignores, or outside the folder, whose changes are progress, too. */
  readonly progress?: { readonly also?: readonly string[] };
  readonly parseTests?: boolean;
  /** Ask the agent to end with a status line, and read what it claims. */
  readonly statusLine?: boolean;
  readonly notify?: { readonly command?: string; readonly webhook?: string; readonly answers?: boolean };
  readonly prices?: Readonly<Record<string, PriceConfig>>;
}

/** A path into a line, such as `message.content[0].text`, or several of which the first that is there counts. */
export type PathConfig = string | readonly string[];

type LiteralConfig = string | number | boolean;

/** What stands at which path; of several values any one. */
export type MatchConfig = Readonly<Record<string, LiteralConfig | readonly LiteralConfig[]>>;

interface RuleConfig {
  readonly when?: MatchConfig;
}

interface EntryRuleConfig extends RuleConfig {
  /** A list in the line: one for each of its entries, where the other paths then begin. */
  readonly each?: PathConfig;
  readonly id?: PathConfig;
}

export interface UsageRuleConfig extends RuleConfig {
  /** `request` unless given. */
  readonly scope?: 'request' | 'turn' | 'session-total';
  readonly input?: PathConfig;
  readonly output?: PathConfig;
  readonly cacheRead?: PathConfig;
  readonly cacheWrite?: PathConfig;
  readonly reasoning?: PathConfig;
  readonly total?: PathConfig;
  readonly cost?: PathConfig;
  readonly model?: PathConfig;
  readonly id?: PathConfig;
  readonly session?: PathConfig;
  /** Must be said where `input` is given with one of the cache counts. */
  readonly inputIncludesCache?: boolean;
  /** `true` unless given. */
  readonly outputIncludesReasoning?: boolean;
}

export interface AgentEventsConfig {
  readonly session?: PathConfig | (RuleConfig & { readonly id: PathConfig });
  /** `[*]` in the path represents all entries of a list. */
  readonly text?: PathConfig | (RuleConfig & { readonly text: PathConfig });
  readonly toolCall?: PathConfig | (EntryRuleConfig & { readonly name: PathConfig; readonly input?: PathConfig });
  readonly toolResult?:
    | PathConfig
    | (EntryRuleConfig & { readonly output: PathConfig; readonly failedWhen?: MatchConfig });
  readonly usage?: PathConfig | UsageRuleConfig;
  readonly limit?:
    | PathConfig
    | (RuleConfig & {
        readonly message: PathConfig;
        readonly limit?: 'usage-limit' | 'overload';
        readonly resetsAt?: PathConfig;
      });
  readonly error?: PathConfig | (RuleConfig & { readonly message: PathConfig; readonly status?: PathConfig });
  readonly result?: PathConfig | (RuleConfig & { readonly text?: PathConfig; readonly successWhen?: MatchConfig });
}

/** An agent CLI that Pawl does not know: how it is called, and how its JSON lines are read. */
export interface OwnAgentConfig {
  /** The program and its own arguments. It gets the prompt on its standard input. */
  readonly command: string | readonly string[];
  readonly args?: readonly string[];
  readonly modelFlag?: string;
  readonly resumeFlag?: string;
  readonly usage?: 'live' | 'end' | 'none';
  readonly signals?: readonly ('SIGINT' | 'SIGTERM')[];
  /** What a line is that no rule is for. */
  readonly output?: 'text' | 'ignore';
  readonly events?: AgentEventsConfig;
}

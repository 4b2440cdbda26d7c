import type { AgentDefinition } from './agent-definition.js';
import type { RuleVersions } from './judging/facts.js';
import type { Policy } from './policy.js';
import type { ModelRates } from './usage.js';

export type { ModelRates } from './usage.js';

export type Permissions = 'edit' | 'bypass' | 'agent';

export interface AgentSpec {
  readonly name: string;
  /** The program and its own arguments, when it is not the adapter's usual one. */
  readonly command?: readonly string[] | undefined;
  readonly args: readonly string[];
  readonly model?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly permissions: Permissions;
  readonly allow: readonly string[];
  /** For an agent that Pawl does not know: how it is called and read. */
  readonly definition?: AgentDefinition | undefined;
  /** For an agent in code: hashes of its instructions, settings and tools, by option. */
  readonly codeHashes?: Readonly<Record<string, string>> | undefined;
}

export interface CommandSpec {
  /** Run by the shell, as written. */
  readonly command: string;
  readonly timeoutMs: number;
}

export interface TestsSpec extends CommandSpec {
  /** Path or glob, relative to the working directory, of the report that the command writes. */
  readonly report?: string | undefined;
}

export interface HookSpec extends CommandSpec {
  readonly onFailure: 'warn' | 'block' | 'pause';
}

/** A second opinion on the work. */
export interface ReviewSpec {
  /** Who is asked. Absent where it is a function or a model in code. */
  readonly agent?: AgentSpec | undefined;
  readonly when: 'goal' | 'stuck';
  readonly every?: number | undefined;
  /** For all reviews of the run. */
  readonly maxCostUsd: number;
  readonly timeoutMs: number;
  /** What is to be reached, in words of the user's own. */
  readonly goal?: string | undefined;
}

export type HookName = 'before_iteration' | 'after_iteration' | 'on_stop' | 'on_pause' | 'on_error';

/** A git worktree that was made for one run, on a branch of its own. */
export interface WorktreeSpec {
  /** Its top. */
  readonly path: string;
  readonly branch: string;
  /** The top of the user's own tree, which it was made from. */
  readonly repository: string;
}

/** Everything that decides how a run goes, resolved: no default is left to be filled in. */
export interface RunSpec {
  readonly workingDir: string;
  /** Where the working directory lies, when the run has a worktree of its own. */
  readonly worktree?: WorktreeSpec | undefined;
  readonly promptPath: string;
  /** Where it led when the run started, after all links, if that is outside the working directory. */
  readonly promptPlace?: string | undefined;
  /** Prompt text given on the command line or in code, in place of the file. */
  readonly prompt?: string | undefined;
  readonly agent: AgentSpec;
  readonly policy: Policy;
  readonly tests?: TestsSpec | undefined;
  readonly checks: Readonly<Record<string, CommandSpec>>;
  readonly review?: ReviewSpec | undefined;
  readonly iterationDelayMs: number;
  readonly iterationTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxWaitMs: number;
  /** Questions of the agent: how long its call and then the run wait for an answer. Absent in older records. */
  readonly questions?: { readonly callWaitMs: number; readonly maxWaitMs: number } | undefined;
  readonly contextRedlinePercent: number;
  readonly attendedMode: boolean;
  readonly session: {
    readonly mode: 'continue' | 'fresh';
    readonly timeoutMs: number;
    readonly persist: boolean;
    readonly stateDir: string;
  };
  readonly hooks: Readonly<Partial<Record<HookName, HookSpec>>>;
  /** When the work is committed to the user's branch. */
  readonly commit: 'never' | 'iteration' | 'end';
  /** Where the record is, where that was chosen. */
  readonly records?: 'home' | 'project' | undefined;
  readonly trackFileChanges: boolean;
  /** Globs of files that are in no snapshot, whose changes are progress, too. */
  readonly progressAlso?: readonly string[] | undefined;
  /** Globs of tests and settings that the agent may change: they are not put back for the original tests. */
  readonly testsMayChange?: readonly string[] | undefined;
  readonly parseTests: boolean;
  /** Absent in runs that were recorded before there was one: their agents were not asked for it, so it is not read. */
  readonly statusLine?: boolean | undefined;
  readonly notify: {
    readonly command?: string | undefined;
    readonly webhook?: string | undefined;
    /** Questions are sent with a key to answer them. */
    readonly answers?: boolean | undefined;
  };
  readonly prices: Readonly<Record<string, ModelRates>>;
}

/** What a run is made of from a resume on, when the code that resumes it is not the code that started it. */
export interface SpecChange {
  readonly spec?: RunSpec | undefined;
  /** What is judged: the policy of the spec, with limits that were raised earlier. */
  readonly policy?: Policy | undefined;
  /** Rules in place of those that the run was started with, where the user asks for them. */
  readonly rules?: RuleVersions | undefined;
  /** What is different, one line each, for a person. */
  readonly changes?: readonly string[] | undefined;
  readonly seal?: string | undefined;
}

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
  /** `[*]` in the path stands for all entries of a list. */
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

/** Paths of a value, of which the first that leads to one counts; see field-path.ts. */
export type FieldPaths = readonly string[];

/** Holds when at each path there is one of the values. */
export type FieldMatch = Readonly<Record<string, readonly (string | number | boolean)[]>>;

interface Rule {
  /** Which lines it is for; without it all in which its first field is found. */
  readonly when: FieldMatch;
}

/** For agents that report several things in one line. */
interface EntryRule extends Rule {
  /** A list in the line: the rule is for each of its entries, and its other paths begin there. */
  readonly each?: FieldPaths | undefined;
}

export interface UsageRule extends Rule {
  readonly scope: 'request' | 'turn' | 'session-total';
  readonly input?: FieldPaths | undefined;
  readonly output?: FieldPaths | undefined;
  readonly cacheRead?: FieldPaths | undefined;
  readonly cacheWrite?: FieldPaths | undefined;
  readonly reasoning?: FieldPaths | undefined;
  readonly total?: FieldPaths | undefined;
  readonly cost?: FieldPaths | undefined;
  readonly model?: FieldPaths | undefined;
  readonly id?: FieldPaths | undefined;
  readonly session?: FieldPaths | undefined;
  readonly inputIncludesCache: boolean;
  readonly outputIncludesReasoning: boolean;
}

/** How the JSON lines of an agent CLI are read. A line may be for several rules. */
export interface EventRules {
  readonly session?: (Rule & { readonly id: FieldPaths }) | undefined;
  readonly text?: (Rule & { readonly text: FieldPaths }) | undefined;
  readonly toolCall?:
    | (EntryRule & {
        readonly name: FieldPaths;
        readonly id?: FieldPaths | undefined;
        readonly input?: FieldPaths | undefined;
      })
    | undefined;
  readonly toolResult?:
    | (EntryRule & {
        readonly output: FieldPaths;
        readonly id?: FieldPaths | undefined;
        readonly failedWhen?: FieldMatch | undefined;
      })
    | undefined;
  readonly usage?: UsageRule | undefined;
  readonly limit?:
    | (Rule & {
        readonly limit: 'usage-limit' | 'overload';
        readonly message: FieldPaths;
        readonly resetsAt?: FieldPaths | undefined;
      })
    | undefined;
  readonly error?: (Rule & { readonly message: FieldPaths; readonly status?: FieldPaths | undefined }) | undefined;
  readonly result?:
    | (Rule & { readonly text?: FieldPaths | undefined; readonly successWhen?: FieldMatch | undefined })
    | undefined;
}

/** An agent CLI that Pawl does not know, as data: a recorded run holds it and can be resumed without the config. */
export interface AgentDefinition {
  readonly name: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly modelFlag?: string | undefined;
  readonly resumeFlag?: string | undefined;
  readonly usage: 'live' | 'end' | 'none';
  readonly signals: readonly ('SIGINT' | 'SIGTERM')[];
  /** What a line is that no rule is for. */
  readonly output: 'text' | 'ignore';
  /** Without rules it speaks as the agent `command` does. */
  readonly events?: EventRules | undefined;
}

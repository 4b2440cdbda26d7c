import type { ConditionType } from '../model/condition.js';
import type { Issue } from '../model/errors.js';
import type { ConfigValues } from './config-shape.js';
import type { ListEntry } from './shape.js';

/** What flags and variables do to the policy beyond setting keys. */
export interface PolicyChanges {
  /** `--max-cost 5`: takes the place of the configured limits of that type; without an entry they are removed. */
  readonly limits: readonly { readonly type: ConditionType; readonly entry?: ListEntry | undefined }[];
  /** `--until`, `--give-up`, `--limit`: stand next to what is configured. */
  readonly added: Readonly<Record<'success' | 'failure' | 'limits', readonly ListEntry[]>>;
}

/** The values that one source gives, valid in themselves. Layers are merged from the weakest to the strongest. */
export interface Layer {
  readonly source: OriginSource;
  readonly values: ConfigValues;
  readonly changes?: PolicyChanges;
  /** Arguments that are added to the agent's, not put in their place. */
  readonly agentArguments?: readonly string[];
  readonly originOf: (path: string) => Origin;
  /** The issue with its place in this source. */
  readonly locate: (issue: Issue) => Issue;
}

/** From the weakest to the strongest: what comes later wins. `code` stands alone. */
type OriginSource = 'default' | 'user-file' | 'project-file' | 'environment' | 'flag' | 'code';

/** Who set a value. */
export interface Origin {
  readonly source: OriginSource;
  /** `pawl.yaml:3:5`, `PAWL_MAX_COST`, `--max-cost`; of a default, why it applies where that needs saying. */
  readonly place?: string;
}

/** By key path of the effective config, such as `session.timeout` or `stop.limits[0]`. */
export type Origins = Readonly<Record<string, Origin>>;

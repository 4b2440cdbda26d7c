import type { StopCondition } from './condition.js';
import type { CommandSpec } from './run-spec.js';

/** How each item is made. The program or agent itself is in the run's spec. */
export interface GenerateSpec {
  /** The command line, with its names in braces; undefined when an agent does the work. */
  readonly command?: string | undefined;
  readonly prompt?: string | undefined;
  readonly promptPath?: string | undefined;
  /** Where it led when the run started, after all links, if that is outside the working directory. */
  readonly promptPlace?: string | undefined;
  /** Where the output of an item goes, with names in braces. */
  readonly output?: string | undefined;
  readonly timeoutMs: number;
}

/** What a manifest says beyond the run's spec, resolved. */
export interface PipelineSpec {
  /** The manifest file. */
  readonly manifest: string;
  /** Of the items and all their fields, in order. */
  readonly itemsHash: string;
  /** The items that were asked for, when it was not all of them. */
  readonly only?: readonly string[] | undefined;
  readonly generate: GenerateSpec;
  readonly audit?: CommandSpec | undefined;
  /** Limits that were given in addition to the manifest when the run began: they hold until they are replaced. */
  readonly limits?: readonly StopCondition[] | undefined;
  readonly concurrency: number;
  readonly retry: { readonly maxAttempts: number; readonly backoffMs: number };
}

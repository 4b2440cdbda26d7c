import type { PipelineSpec } from '../model/pipeline-spec.js';
import type { RunSpec } from '../model/run-spec.js';
import type { Item } from './item.js';

/** What a pipeline run does: every item with its index, and how. */
export interface PipelinePlan {
  readonly spec: RunSpec;
  readonly pipeline: PipelineSpec;
  /** By index; undefined for those that the manifest does not name any more. */
  readonly items: readonly (Item | undefined)[];
  /** Where their outputs go, by index; undefined when they have none. */
  readonly paths?: readonly string[] | undefined;
}

export type { Item } from './item.js';
export type { PipelineOptions } from './create-pipeline.js';
export {
  type PipelineStopReason,
  type StopConditionsConfig,
  evaluateStopConditions,
} from './evaluate-stop-conditions.js';
export type { HaltCondition, HaltReason } from './halt-reason.js';
export type { PipelineHandle, PipelineResult } from './pipeline-handle.js';
export {
  createPipeline,
  type ResumePipelineOptions,
  resumePipeline,
  type RunPipelineOptions,
  runPipeline,
} from './run-pipeline.js';
export { manifestSchema, stateSchema } from './schemas.js';
export type { PipelineStatistics } from './statistics.js';
export type { StopConditions } from './stop-conditions.js';
export { StopConditionsSchema } from './stop-conditions-schema.js';
export {
  calculateRejectRate,
  calculateRetryRate,
  calculateRunStatistics,
  findNextPendingFrame,
  type FrameRunState,
  type FrameState,
} from './story-state.js';

import { endedItems, ratesOf } from '../model/pipeline-counts.js';
import type { PipelineState } from '../model/pipeline-state.js';

/** Story 4.4's eight figures. */
export interface PipelineStatistics {
  readonly total_frames: number;
  readonly frames_attempted: number;
  readonly frames_approved: number;
  readonly frames_rejected: number;
  readonly frames_failed: number;
  readonly retry_rate: number;
  readonly reject_rate: number;
  readonly consecutive_fails: number;
}

export function statisticsOf(pipeline: PipelineState): PipelineStatistics {
  const { retryRate, rejectRate } = ratesOf(pipeline);
  return {
    total_frames: pipeline.items - (pipeline.withdrawn ?? 0),
    frames_attempted: endedItems(pipeline),
    frames_approved: pipeline.approved,
    frames_rejected: pipeline.rejected,
    frames_failed: pipeline.failed,
    retry_rate: retryRate,
    reject_rate: rejectRate,
    consecutive_fails: pipeline.consecutiveFails,
  };
}

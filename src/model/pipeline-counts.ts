export interface PipelineRates {
  readonly retryRate: number;
  readonly rejectRate: number;
}

/** What is counted of a pipeline's items and attempts. */
export interface PipelineCounts {
  readonly items: number;
  readonly approved: number;
  readonly rejected: number;
  readonly failed: number;
  readonly withRetries: number;
  readonly attempts: number;
  readonly consecutiveFails: number;
  /** How many of the items the manifest does not name any more. They never became final. */
  readonly withdrawn?: number | undefined;
  /** The rates at which an operator resumed the run: only worse ones halt it again. */
  readonly accepted?: PipelineRates | undefined;
}

type Ended = Pick<PipelineCounts, 'approved' | 'rejected' | 'failed'>;

/** Items with a final status. */
export function endedItems({ approved, rejected, failed }: Ended): number {
  return approved + rejected + failed;
}

/** Which parts of the ended items needed a retry, and were rejected or failed. */
export function ratesOf(pipeline: Ended & Pick<PipelineCounts, 'withRetries'>): PipelineRates {
  const ended = endedItems(pipeline);
  if (ended === 0) return { retryRate: 0, rejectRate: 0 };
  return { retryRate: pipeline.withRetries / ended, rejectRate: (pipeline.rejected + pipeline.failed) / ended };
}

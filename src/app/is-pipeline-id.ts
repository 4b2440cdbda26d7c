/** Whether a run is a pipeline, known from its id: its record need not be read. */
export function isPipelineId(runId: string): boolean {
  return runId.startsWith('pipe_');
}

import { haltReasonIn } from '../../pipeline/halt-reason.js';
import type { PipelineResult } from '../../pipeline/pipeline-handle.js';
import { statisticsOf } from '../../pipeline/statistics.js';
import { jsonText } from '../terminal/json-text.js';
import { pipelineResumes } from '../terminal/pipeline-steps.js';

/** Story 4.4's log line: one line of JSON for whoever reads logs; undefined for a run that was not halted. */
export function haltLine({ runId, state }: Pick<PipelineResult, 'runId' | 'state'>, nowMs: number): string | undefined {
  const reason = haltReasonIn(state);
  if (state.pipeline === undefined || reason === undefined) return undefined;
  const { condition, message } = reason;
  const [hint] = pipelineResumes(runId, state, nowMs);
  const statistics = statisticsOf(state.pipeline);
  return jsonText({ event: 'run_halted', run_id: runId, reason: condition, message, statistics, hint });
}

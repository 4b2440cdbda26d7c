import { latestRun, type ListedRun, locateRun } from '../journal/list-runs.js';
import { readJournal } from '../journal/read-journal.js';
import { stateSince } from '../journal/recover.js';
import type { Environment } from '../journal/run-places.js';
import { ConfigError } from '../model/errors.js';
import type { PipelineSpec } from '../model/pipeline-spec.js';
import { reduce } from '../model/reduce.js';
import type { RunSpec } from '../model/run-spec.js';
import type { PipelineState } from '../model/pipeline-state.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';

/** A pipeline run that is recorded, to continue with it. */
export interface RecordedPipeline {
  readonly runId: string;
  readonly run: ListedRun;
  readonly state: RunState;
  readonly pipeline: PipelineState;
  readonly spec: RunSpec;
  readonly pipelineSpec: PipelineSpec;
}

/** Finds a pipeline run by its id, the beginning of one, or nothing for the latest. Throws ConfigError. */
export async function findRecordedPipeline(
  workingDir: string,
  reference: string | undefined,
  environment: Environment,
): Promise<RecordedPipeline> {
  const run =
    reference === undefined ? latestPipeline(workingDir, environment) : locateRun(workingDir, reference, environment);
  const { runId, journalPath, snapshot } = run;
  const state =
    (snapshot?.runId === runId ? stateSince(snapshot, journalPath) : undefined) ?? (await wholeState(journalPath));
  const { spec, pipeline } = state;
  if (state.kind !== 'pipeline') {
    throw refused(`${runId} is not a pipeline; pawl resume ${runId} continues it`);
  }
  if (spec === undefined || pipeline?.spec === undefined)
    throw refused(`${runId} has not started: there is nothing to resume`);
  return { runId, run, state, pipeline, spec, pipelineSpec: pipeline.spec };
}

/** What is torn off is reported when the journal is opened for writing. */
async function wholeState(journalPath: string): Promise<RunState> {
  let state = INITIAL_STATE;
  for await (const event of readJournal(journalPath, { onTorn: () => undefined })) state = reduce(state, event);
  return state;
}

/** Loops of the same folder are passed by. */
function latestPipeline(workingDir: string, environment: Environment): ListedRun {
  const latest = latestRun(workingDir, environment, 'pipe_');
  if (latest === undefined) throw refused(`there is no pipeline in ${workingDir}`);
  return latest;
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}

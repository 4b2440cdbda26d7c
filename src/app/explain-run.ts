import type { ListedRun } from '../journal/list-runs.js';
import { ConfigError } from '../model/errors.js';
import { shownStatus } from '../model/outcome.js';
import { hasEnded } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { createExplanation, type Explanation } from '../replay/explain.js';
import { pastSummary } from './past-summary.js';
import { type RunSummary, summariseRun } from '../stop/run-summary.js';
import { clockText } from '../words/clock-text.js';
import { stateAt } from '../words/state-at.js';
import { noSuchIteration } from './no-such-iteration.js';
import { readRecord, type RunRecord } from './read-record.js';
import { NO_RUN, problemOf } from './recorded-runs.js';
import { type StaleCopy, staleJson, staleSummary } from './stale-copy.js';

/** A run and why it stopped, or continues. */
export interface ExplainedRecord {
  readonly run: ListedRun;
  readonly record: RunRecord;
  readonly explanation: Explanation;
  /** For machines. */
  readonly status: string;
  readonly summary: RunSummary;
  /** A moment before the last is explained. */
  readonly isPast: boolean;
  readonly isLive: boolean;
  readonly problem?: string | undefined;
  /** Of a run that had not ended: no one knows what became of it since. */
  readonly stale?: StaleCopy | undefined;
}

/** Throws ConfigError when there is nothing of it to explain, or it has had no such iteration. */
export async function explainRun(
  run: ListedRun,
  nowMs: number,
  iteration?: number,
  copy?: StaleCopy,
): Promise<ExplainedRecord> {
  const reading = createExplanation({ iteration });
  const record = await readRecord(run, (event) => reading.see(event));
  const { state, isDamaged } = record;
  const isLive = run.holder !== undefined;
  const stale = hasEnded(state) || iteration !== undefined ? undefined : copy;
  const problem = problemOf(record, isLive);
  if (state.kind === undefined && !isLive) {
    const message = `${run.runId}: ${NO_RUN}${problem === undefined ? '' : `: ${problem}`}`;
    throw new ConfigError([{ path: '', message }]);
  }
  const explanation = reading.endAt(
    isLive && iteration === undefined && stale === undefined ? stateAt(state, nowMs) : state,
  );
  if (explanation === undefined) throw noSuchIteration(run.runId, iteration ?? 0, state);
  const status = statusOf(explanation, state, isLive, isDamaged);
  const isPast = explanation.resumed !== undefined || isEarlier(explanation, state);
  const clock = (at: string) => clockText(at, nowMs);
  const now = summariseRun(state, { isLive: isLive && stale === undefined, isDamaged, clock });
  const summary = isPast ? pastSummary(explanation) : stale === undefined ? now : staleSummary(state, stale, nowMs);
  return { run, record, explanation, status, summary, isPast, isLive, problem, stale };
}

/** For machines. */
export function explainedJson({ run, record, explanation, status, isLive, problem, stale }: ExplainedRecord) {
  const stands = { status, live: isLive, ...staleJson(status, false, stale) };
  return { ...explanation, runId: record.state.runId ?? run.runId, ...stands, problem };
}

/** At an iteration before the last the run continued, whatever became of it. */
function statusOf(explanation: Explanation, state: RunState, isLive: boolean, isDamaged: boolean): string {
  if (explanation.resumed !== undefined) return 'stopped';
  if (isEarlier(explanation, state)) return explanation.stop ? 'stopped' : 'continued';
  return isDamaged && !hasEnded(state) ? 'damaged' : shownStatus(state, isLive);
}

function isEarlier({ iteration, stop }: Explanation, state: RunState): boolean {
  return iteration < state.iterations || (hasEnded(state) && !stop);
}

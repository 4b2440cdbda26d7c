import type { ExtraKeys } from '../journal/snapshot.js';
import { type AttemptSummary, type ItemState, itemAt } from '../model/item-state.js';
import type { Json } from '../model/json.js';
import { endOf, loopStateOf } from '../model/phase.js';
import type { PipelineState } from '../model/pipeline-state.js';
import type { RunState } from '../model/run-state.js';
import { haltReasonIn } from './halt-reason.js';
import { statisticsOf } from './statistics.js';

type JsonObject = { [key: string]: Json };

/** Story 4.4's keys of `state.json`. `ids` has the id of every item by its index. */
export function storyKeys(ids: () => readonly (string | undefined)[]): ExtraKeys {
  return (state) => (state.pipeline === undefined ? {} : keysOf(state, state.pipeline, ids()));
}

function keysOf(state: RunState, pipeline: PipelineState, ids: readonly (string | undefined)[]): JsonObject {
  const { runId = '' } = state;
  const status = loopStateOf(state);
  const ended = endOf(state);
  const first = firstLeft(pipeline, ids);
  const reason = haltReasonIn(state);
  return {
    run_id: runId,
    run_status: status === 'completed' || status === 'stopped' || status === 'error' ? status : 'running',
    ...(reason === undefined ? {} : { stop_reason: given(reason) }),
    ...(status === 'error' && ended?.error !== undefined ? { error: ended.error } : {}),
    ...(ended !== undefined && status !== 'completed' ? { stopped_at: ended.at } : {}),
    resumable: first !== undefined,
    ...(first === undefined ? {} : { resume_from_frame: first }),
    consecutive_fail_count: pipeline.consecutiveFails,
    statistics: given(statisticsOf(pipeline)),
    frame_states: framesOf(pipeline, ids),
  };
}

/** The index, from 0, of the first item without a final status. */
function firstLeft({ states }: PipelineState, ids: readonly (string | undefined)[]): number | undefined {
  for (let index = 0; index < ids.length; index++) {
    const item = itemAt(states, index);
    if (ids[index] !== undefined && item?.status === undefined && item?.isWithdrawn !== true) return index;
  }
  return undefined;
}

function framesOf({ states, open }: PipelineState, ids: readonly (string | undefined)[]): JsonObject {
  const frames: [string, Json][] = [];
  for (const [index, id] of ids.entries()) {
    const item = itemAt(states, index);
    const name = id ?? item?.item;
    if (name !== undefined) frames.push([name, frameOf(index, item, open?.[index] !== undefined)]);
  }
  return Object.fromEntries(frames);
}

function frameOf(index: number, item: ItemState | undefined, isOpen: boolean): Json {
  if (item === undefined) return { index, status: 'pending', attempts: [] };
  const { status, attempts, interrupted, isWithdrawn } = item;
  const open = isOpen ? 'in_progress' : 'pending';
  return {
    index,
    status: status ?? (isWithdrawn === true ? 'withdrawn' : open),
    attempts: attempts.map(attemptOf),
    ...(interrupted === undefined ? {} : { interrupted }),
  };
}

function attemptOf({ outcome, reasons, score, durationMs }: AttemptSummary, index: number): Json {
  return {
    attempt: index + 1,
    outcome,
    duration_ms: durationMs,
    ...(reasons === undefined ? {} : { reasons: [...reasons] }),
    ...(score === undefined ? {} : { score }),
  };
}

function given(record: object): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

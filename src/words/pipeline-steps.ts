import { eachItem } from '../model/item-state.js';
import { isTerminal } from '../model/loop-state.js';
import { endOf, hasEnded, loopStateOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { shellWord } from './printable.js';
import { itemsOf } from './item-figures.js';
import { isWithoutPrice, raisedFlag } from './raised-flag.js';
import { shortId } from './short-id.js';

const MOST_NAMED = 5;

/** The commands that make sense for a pipeline that no one runs now. */
export function pipelineSteps(runId: string, state: RunState, nowMs: number, place = ''): readonly string[] {
  const show = `pawl show ${shortId(runId)}${place}`;
  // A resume would only be refused.
  if (loopStateOf(state) !== 'completed' && isWithoutPrice(state)) return [show];
  const resumes = pipelineResumes(shortId(runId), state, nowMs).map((command) => `${command}${place}`);
  return hasEnded(state) ? [...resumes, show] : resumes;
}

/** The ways to continue with a pipeline, the plainest first; none when there is nothing to make. */
export function pipelineResumes(id: string, state: RunState, nowMs: number): readonly string[] {
  const { pipeline } = state;
  const status = loopStateOf(state);
  const ended = endOf(state);
  // Rates and streaks of failures start again with a resume, or are accepted by it; what is counted is not.
  const flags = (ended?.reasons ?? []).flatMap(({ condition }) =>
    condition === undefined ? [] : (raisedFlag(condition, state, nowMs) ?? []),
  );
  const resume = [`pawl pipeline run --resume ${id}`, ...new Set(flags)].join(' ');
  const failed = isTerminal(status) ? failedItems(state) : [];
  // What is final is made again only when it is named.
  const isLeft =
    status !== 'completed' && pipeline !== undefined && (!isTerminal(status) || itemsOf(pipeline).left > 0);
  return [
    ...(isLeft ? [resume] : []),
    ...(failed.length === 0 ? [] : [`${resume} --redo ${failed.map(shellWord).join(' ')}`]),
  ];
}

/** The first ones that were not approved. One that looks like a flag cannot be named by one. */
function failedItems({ pipeline }: RunState): readonly string[] {
  const failed: string[] = [];
  for (const [, { item, status }] of eachItem(pipeline?.states)) {
    if ((status === 'rejected' || status === 'failed') && !item.startsWith('-')) failed.push(item);
    if (failed.length === MOST_NAMED) break;
  }
  return failed;
}

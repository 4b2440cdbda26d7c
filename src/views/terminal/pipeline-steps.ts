import type { StopCondition } from '../../model/condition.js';
import { eachItem } from '../../model/item-state.js';
import { isTerminal } from '../../model/loop-state.js';
import type { RunState } from '../../model/run-state.js';
import { shellWord } from '../cli/shell-word.js';
import { isWithoutPrice } from './next-advice.js';
import { raisedFlag } from './raised-flag.js';
import { shortId } from './short-id.js';

/** The commands that make sense for a pipeline that nobody runs now. */
export function pipelineSteps(runId: string, state: RunState, place = ''): readonly string[] {
  const { status, ended } = state;
  const id = shortId(runId);
  const show = `pawl show ${id}${place}`;
  const resume = `pawl pipeline run --resume ${id}`;
  if (status === 'completed') {
    const failed = ended?.class === 'goal' ? undefined : firstFailed(state);
    return [...(failed === undefined ? [] : [`${resume} --redo ${shellWord(failed)}${place}`]), show];
  }
  // A resume would only be refused.
  if (isWithoutPrice(state)) return [show];
  const flags = (ended?.reasons ?? []).flatMap(({ condition }) =>
    condition === undefined ? [] : (flagFor(condition, state) ?? []),
  );
  const again = `${[resume, ...new Set(flags)].join(' ')}${place}`;
  return isTerminal(status) ? [again, show] : [again];
}

/** Rates and rows of failures start anew with a resume, or are accepted by it; what is counted is not. */
function flagFor(condition: StopCondition, state: RunState): string | undefined {
  if (condition.type !== 'circuit_breaker') return raisedFlag(condition, state);
  const made = state.pipeline?.attempts ?? 0;
  return `--circuit-breaker ${Math.max(condition.attempts * 2, made + condition.attempts)}`;
}

function firstFailed({ pipeline }: RunState): string | undefined {
  for (const [, { item, status }] of eachItem(pipeline?.states)) {
    if (status === 'rejected' || status === 'failed') return item;
  }
  return undefined;
}

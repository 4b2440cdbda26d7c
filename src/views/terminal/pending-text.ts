import { isEnding } from '../../model/is-ending.js';
import type { RunState } from '../../model/run-state.js';

/** What was asked of a run and has not happened yet; undefined when nothing was. */
export function pendingText(state: RunState, isLive = true): string | undefined {
  const { status, open, operatorStop, pauseAsked } = state;
  if (!isLive) return afterwardsText(state);
  if (isEnding(state)) return endingText(state);
  const isIdle = status === 'paused' || status === 'waiting';
  const when =
    state.pipeline !== undefined
      ? 'after what is in flight'
      : open === undefined
        ? 'before the next iteration'
        : 'after this iteration';
  if (operatorStop !== undefined) {
    return `stops ${operatorStop.now || isIdle ? 'now' : when}, requested by ${operatorStop.by}`;
  }
  if (pauseAsked === undefined || status === 'paused') return undefined;
  return `pauses ${when}, ${askedFor(pauseAsked)}; pawl unpause cancels this`;
}

/** Why a run is paused; undefined when it is not. */
export function pausedText({ status, pauseAsked, hook }: RunState): string | undefined {
  if (status !== 'paused') return undefined;
  const why = pauseAsked === undefined ? [] : [askedFor(pauseAsked)];
  const runs = hook === undefined ? [] : [`the hook ${hook} runs`];
  return [...why, ...runs].join('; ') || undefined;
}

/** What a run that nobody runs now does when somebody goes on with it. */
function afterwardsText({ operatorStop, pauseAsked, ended }: RunState): string | undefined {
  if (operatorStop !== undefined && ended === undefined)
    return `stops when it is resumed, requested by ${operatorStop.by}`;
  if (ended?.pauseAsked !== undefined) return `to pause, ${askedFor(ended.pauseAsked)}: the run ended first`;
  if (pauseAsked === undefined) return undefined;
  return `is paused when it is resumed, ${askedFor(pauseAsked)}; then pawl unpause`;
}

function endingText({ verdict, operatorStop, hook, pipeline }: RunState): string {
  const why =
    verdict?.reasons[0]?.message ?? (operatorStop === undefined ? undefined : `requested by ${operatorStop.by}`);
  const when = pipeline === undefined || operatorStop?.now === true ? 'now' : 'after what is in flight';
  const stops = `stops ${when}${why === undefined ? '' : `: ${why}`}`;
  return hook === undefined ? stops : `${stops}; the hook ${hook} runs, and pawl stop --now ends it`;
}

function askedFor({ by, reason }: NonNullable<RunState['pauseAsked']>): string {
  return reason ?? `requested by ${by}`;
}

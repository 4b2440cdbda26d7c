import { endOf, isEnding, loopStateOf, openIteration, type PauseRequest } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';

/** What was asked of a run and has not happened yet; undefined when nothing was. */
export function pendingText(state: RunState, isLive = true): string | undefined {
  const status = loopStateOf(state);
  const { stop, pause } = state.requests;
  if (!isLive) return afterwardsText(state);
  if (isEnding(state)) return endingText(state);
  const isIdle = status === 'paused' || status === 'waiting';
  const when =
    state.pipeline !== undefined
      ? 'after the attempts in progress'
      : openIteration(state) === undefined
        ? 'before the next iteration'
        : 'after this iteration';
  if (stop !== undefined) {
    return `stops ${stop.now || isIdle ? 'now' : when}, requested by ${stop.by}`;
  }
  if (pause === undefined || status === 'paused') return undefined;
  return `pauses ${when}, ${askedFor(pause)}; pawl unpause cancels this`;
}

/** Why a run is paused; undefined when it is not. */
export function pausedText({ phase, hook, requests: { pause } }: RunState): string | undefined {
  if (phase.name !== 'paused') return undefined;
  const why = pause === undefined ? [] : [askedFor(pause)];
  const runs = hook === undefined ? [] : [`the hook ${hook} runs`];
  return [...why, ...runs].join('; ') || undefined;
}

/** What a run that nobody runs now does when somebody continues it. */
function afterwardsText(state: RunState): string | undefined {
  const ended = endOf(state);
  const { stop, pause } = state.requests;
  if (stop !== undefined && ended === undefined) return `stops when it is resumed, requested by ${stop.by}`;
  if (ended?.pauseAsked !== undefined) return `to pause, ${askedFor(ended.pauseAsked)}: the run ended first`;
  if (pause === undefined) return undefined;
  return `is paused when it is resumed, ${askedFor(pause)}; then pawl unpause`;
}

function endingText({ verdict, hook, pipeline, requests: { stop } }: RunState): string {
  const why = verdict?.reasons[0]?.message ?? (stop === undefined ? undefined : `requested by ${stop.by}`);
  const when = pipeline === undefined || stop?.now === true ? 'now' : 'after the attempts in progress';
  const stops = `stops ${when}${why === undefined ? '' : `: ${why}`}`;
  return hook === undefined ? stops : `${stops}; the hook ${hook} runs, and pawl stop --now ends it`;
}

function askedFor({ by, reason }: PauseRequest): string {
  return reason ?? `requested by ${by}`;
}

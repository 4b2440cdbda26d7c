import type { RunState } from '../../model/run-state.js';

/** What was asked of a run and has not happened yet; undefined when nothing was. */
export function pendingText({ status, open, operatorStop, pauseAsked }: RunState): string | undefined {
  const when = open === undefined ? 'before the next iteration' : 'after this iteration';
  if (operatorStop !== undefined) return `stops ${operatorStop.now ? 'now' : when}, asked by ${operatorStop.by}`;
  if (pauseAsked === undefined || status === 'paused') return undefined;
  return `pauses ${when}, asked by ${pauseAsked.by}; pawl unpause takes it back`;
}

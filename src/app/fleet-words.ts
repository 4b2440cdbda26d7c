import type { FleetRun } from '../fleet/fleet-status.js';
import type { RunOutcome } from '../fleet/run-outcome.js';
import { type Outcome, outcomeOf } from '../model/outcome.js';
import { STOP_CLASSES } from '../model/stop-class.js';
import { usd } from '../model/figures.js';
import { untilText } from '../words/clock-text.js';
import { WAITED_FOR } from '../stop/run-summary.js';

/** What tells how it stands with a run, in its row or in the copy of its record. */
interface StandingRun extends Pick<FleetRun, 'state' | 'outcome' | 'pausedFor'> {
  readonly wish?: string | undefined;
}

/** What every view calls it. */
export function fleetOutcome(run: StandingRun): Outcome {
  const { class: stopClass, error } = (run.outcome ?? {}) as Partial<RunOutcome>;
  const ended = { class: STOP_CLASSES.find((known) => known === stopClass), error };
  return outcomeOf({ status: fleetStatus(run), ended });
}

/** For machines: a request of the user is the next state. */
export function fleetStatus({ state, wish, outcome, pausedFor }: StandingRun): string {
  if (state === 'ended') return (outcome as RunOutcome | undefined)?.status ?? state;
  if (wish === 'cancel') return 'cancelling';
  if (wish === 'pause') return state === 'running' ? 'pausing' : 'paused';
  return pausedFor === undefined ? state : 'paused';
}

/** Why it ended, or what it waits for. */
export function whyText(run: FleetRun, nowMs: number): string {
  const { state, wish, outcome, trouble, heldUp, crashes, labels, pausedFor } = run;
  if (state === 'ended') return endText(outcome as Partial<RunOutcome> | undefined);
  if (trouble !== undefined) return state === 'waiting' ? `${trouble}; ${waitText(run, nowMs)}` : trouble;
  if (pausedFor !== undefined && wish === undefined) return pausedFor;
  if (state === 'waiting') return waitText(run, nowMs);
  if (heldUp !== undefined) return heldUp;
  const died = crashes > 0 ? `${crashes} ${crashes === 1 ? 'worker' : 'workers'} died with it` : '';
  const isForWorker = state === 'queued' && wish === undefined && labels.length > 0;
  return died === '' && isForWorker ? `for a worker with ${labels.join(' ')}` : died;
}

/** One that never began waits for its repository. */
function waitText({ notBefore, waitsFor, lastSeq }: FleetRun, nowMs: number): string {
  const [, what] = Object.entries(WAITED_FOR).find(([known]) => known === waitsFor) ?? [];
  const until = notBefore === undefined ? undefined : untilText(notBefore, nowMs);
  if (lastSeq === 0 && until !== undefined) return until.replace(/^until/, 'tried again at');
  const texts = [what === undefined ? undefined : `for ${what}`, until].filter((text) => text !== undefined);
  return texts.length === 0 ? 'for a command' : texts.join(', ');
}

function endText({ error, kept, reasons = [], class: stopClass = '' }: Partial<RunOutcome> = {}): string {
  if (error !== undefined) return kept === undefined ? error : `${error}; its working tree is kept in ${kept}`;
  if (kept !== undefined) return [...reasons, `its last work is on no branch: it is kept in ${kept}`].join('; ');
  if (reasons.length > 0) return reasons.join('; ');
  return stopClass === 'operator' ? 'cancelled' : stopClass;
}

/** What is known of the cost; an agent may not tell. */
export function fleetCostText({ spentUsd, atLeastUsd, iteration }: FleetRun): string {
  if (iteration === 0 && atLeastUsd === 0) return '';
  return knownCost(spentUsd, atLeastUsd);
}

export function knownCost(spentUsd: number | undefined, atLeastUsd: number): string {
  if (spentUsd !== undefined) return usd(spentUsd);
  return atLeastUsd > 0 ? `≥ ${usd(atLeastUsd)}` : 'unknown';
}

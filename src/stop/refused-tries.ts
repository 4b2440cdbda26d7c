import { formatDuration } from '../model/duration.js';
import { isNotReached } from '../model/not-reached.js';
import { endOf, openIteration, refusedIn } from '../model/phase.js';
import type { IterationSummary, RunState } from '../model/run-state.js';
import { count, quote, usd } from '../model/figures.js';
import { isRefusal, WAIT_PATH } from '../model/wait-policy.js';

const MOST_OF_WORDS = 200;

/** What became of tries that the provider refused: its words, how long Pawl waited, and what that cost. */
export function refusedNote(state: RunState, clock: (at: string) => string): string | undefined {
  const { recent, waitedMs = 0, pipeline } = state;
  if (pipeline !== undefined) return undefined;
  const [first] = recent;
  // Of a long run the first tries are not known any more.
  if (first !== undefined && (first.iteration !== 1 || first.try !== 1))
    return waitedMs === 0 ? undefined : `Pawl waited ${waitText(waitedMs)} in all for the provider`;
  const refused = recent.filter(({ outcome }) => isRefusal(outcome));
  if (refused.length === 0) return undefined;
  if (hasGivenUp(state)) return `${outageText(state)} ${costText(refused)}`;
  const words = refused.at(-1)?.error;
  const said = words === undefined ? '' : `: ${quote(words, MOST_OF_WORDS)}`;
  const head = `${refusalText(refused)}${said}${/[.!?…]"$/.test(said) ? '' : '.'}`;
  if (state.phase.name === 'waiting') return `${head} Pawl tries again by itself`;
  const waited = waitedMs === 0 ? [] : [`${waitedText(state, waitedMs, clock)}.`];
  return [head, ...waited, costText(refused)].join(' ');
}

/** It ended because the provider let nothing through for too long. */
function hasGivenUp(state: RunState): boolean {
  return endOf(state)?.reasons[0]?.path === WAIT_PATH;
}

function refusalText(refused: readonly IterationSummary[]): string {
  const tries = triesText(refused.length);
  return refused.every(({ error = '' }) => isNotReached(error))
    ? `The provider could not be reached in ${tries}`
    : `The provider refused ${tries}`;
}

/** From the first refusal to the last, as `max_wait` counts it. */
function outageText({ recent, phase }: RunState): string {
  const { since = '', tries = 1 } = refusedIn(phase) ?? {};
  const lastedMs = Date.parse(recent.at(-1)?.endedAt ?? '') - Date.parse(since);
  const times = tries === 1 ? 'once' : `${count(tries)} times`;
  return lastedMs > 0 ? `Pawl tried ${times} in ${waitText(lastedMs)}.` : `Pawl tried ${times}.`;
}

/** Several waits have no one end. */
function waitedText(state: RunState, waitedMs: number, clock: (at: string) => string): string {
  const { recent } = state;
  const ends = recent.flatMap((one, index) => {
    const next = recent[index + 1];
    return isRefusal(one.outcome) && (next === undefined || !isRefusal(next.outcome))
      ? [(next ?? openIteration(state))?.startedAt]
      : [];
  });
  const [end, ...others] = ends;
  if (end === undefined || others.length > 0) return `Pawl waited ${waitText(waitedMs)} in all`;
  return `Pawl waited ${waitText(waitedMs)} until ${clock(end)} and tried again`;
}

function costText(refused: readonly IterationSummary[]): string {
  const what = refused.length === 1 ? 'The refused try' : 'The tries';
  const costs = refused.map(({ spend }) => spend.costUsd);
  if (costs.includes(undefined)) return `${what} cost no iteration`;
  const total = costs.reduce((sum: number, cost = 0) => sum + cost, 0);
  return total === 0
    ? `${what} cost no iteration and no money`
    : `${what} cost no iteration; ${usd(total)} was spent before the ${refused.length === 1 ? 'refusal' : 'refusals'}`;
}

export function triesText(tries: number): string {
  return tries === 1 ? '1 try' : `${count(tries)} tries`;
}

/** A try that was refused gives the number of its iteration back. */
export function refusedTriesText(tries: number): string {
  return tries === 1 ? '1 refused try' : `${count(tries)} refused tries`;
}

/** To the nearest second: a wait of 3 s is a little shorter than that on the clock. */
function waitText(ms: number): string {
  return formatDuration(ms < 1000 ? ms : Math.round(ms / 1000) * 1000);
}

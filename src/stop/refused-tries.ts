import { formatDuration } from '../model/duration.js';
import { isNotReached } from '../model/not-reached.js';
import { endOf, openIteration, refusedIn } from '../model/phase.js';
import type { IterationSummary, RunState } from '../model/run-state.js';
import { count, plural, quote, usd } from '../model/figures.js';
import { isRefusal, WAIT_PATH } from '../model/wait-policy.js';

const MOST_OF_WORDS = 200;

/** What became of tries that the provider refused: its words, how long Pawl waited, and what that cost. */
export function refusedNote(state: RunState, clock: (at: string) => string): string | undefined {
  const { recent, waitedMs = 0, pipeline } = state;
  if (pipeline !== undefined) return undefined;
  const [first] = recent;
  // Of a long run the first tries are not known any more.
  if (first !== undefined && (first.iteration !== 1 || first.try !== 1))
    return waitedMs === 0 ? undefined : `Pawl waited ${formatDuration(waitedMs)} in all for the provider`;
  const refused = recent.filter(({ outcome }) => isRefusal(outcome));
  if (refused.length === 0) return undefined;
  if (hasGivenUp(state))
    return `${outageText(state)} ${costText(refused, refused.length === 1 ? 'The try' : 'The tries')}`;
  const words = refused.at(-1)?.error;
  const said = words === undefined ? '' : `: ${quote(words, MOST_OF_WORDS)}`;
  const head = `${refusalText(refused)}${said}${/[.!?…]"$/.test(said) ? '' : '.'}`;
  if (state.phase.name === 'waiting') return head;
  const waited = waitedMs === 0 ? [] : [`${waitedText(state, waitedMs, clock)}.`];
  return [head, ...waited, costText(refused)].join(' ');
}

/** It ended because the provider let nothing through for too long. */
function hasGivenUp(state: RunState): boolean {
  return endOf(state)?.reasons[0]?.path === WAIT_PATH;
}

function refusalText(refused: readonly IterationSummary[]): string {
  return refused.every(({ error = '' }) => isNotReached(error))
    ? `The agent could not reach its provider ${timesText(refused.length)}`
    : `The provider rejected ${plural(refused.length, 'request')}`;
}

function timesText(times: number): string {
  return times === 1 ? 'once' : `${count(times)} times`;
}

/** From the first refusal to the last, as `max_wait` counts it. */
function outageText({ recent, phase }: RunState): string {
  const { since = '', tries = 1 } = refusedIn(phase) ?? {};
  const lastedMs = Date.parse(recent.at(-1)?.endedAt ?? '') - Date.parse(since);
  const times = timesText(tries);
  return lastedMs > 0 ? `Pawl tried ${times} in ${formatDuration(lastedMs)}.` : `Pawl tried ${times}.`;
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
  if (end === undefined || others.length > 0) return `Pawl waited ${formatDuration(waitedMs)} in all`;
  return `Pawl waited ${formatDuration(waitedMs)} until ${clock(end)} and tried again`;
}

function costText(
  refused: readonly IterationSummary[],
  subject = refused.length === 1 ? 'The rejected request' : 'The rejected requests',
): string {
  const what = `${subject} did not count as ${refused.length === 1 ? 'an iteration' : 'iterations'}`;
  const costs = refused.map(({ spend }) => spend.costUsd);
  if (costs.includes(undefined)) return what;
  const total = costs.reduce((sum: number, cost = 0) => sum + cost, 0);
  return `${what} and cost ${total === 0 ? 'nothing' : usd(total)}`;
}

/** `1 rejected request`: it gives the number of its iteration back. */
export function rejectedText(requests: number): string {
  return plural(requests, 'rejected request');
}

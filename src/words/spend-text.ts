import type { StopCondition } from '../model/condition.js';
import { type Iterating, openIteration } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { knownCostUsd, type SpendAccount, spendByModel, totalSpend } from '../model/spend-account.js';
import { count, plural, usd } from '../model/figures.js';
import { CONDITION_CATALOG, limitOf } from '../model/condition-catalog.js';

/** All that was spent, in words; what is not known is said to be so. */
export function spendText(state: RunState): string {
  const { spend } = state;
  const open = openIteration(state);
  if (!hasReports(spend)) {
    if (untold(spend) === 0) return isSpending(open) ? 'not known yet' : 'nothing';
    return 'unknown: the agent did not report its usage';
  }
  const { totalTokens } = totalSpend(spend);
  // What the iteration that is open has used is not reported yet.
  const least = isSpending(open) && !spend.reported && untold(spend) === 0 ? '≥ ' : '';
  const tokens =
    totalTokens === undefined
      ? 'tokens unknown'
      : `${least}${atLeast(spend)}${about(spend)}${plural(totalTokens, 'token')}`;
  const cost = reportedCost(spend);
  return `${/^~?\$/.test(cost) ? least : ''}${cost}${spend.notional ? ' (notional)' : ''}, ${tokens}${spendDoubts(state)}`;
}

/** What was spent up to now, for the end of a line; nothing where the agent never tells. */
export function costSoFar({ spend }: RunState): string | undefined {
  if (!hasReports(spend)) return undefined;
  return reportedCost(spend);
}

/** The cost of what was told, where something was: what is not all of it is said to be at least that. */
export function reportedCost(spend: SpendAccount): string {
  const { costUsd } = totalSpend(spend);
  if (costUsd !== undefined) return `${atLeast(spend)}${about(spend)}${usd(costUsd)}`;
  const known = knownCostUsd(spend);
  return known > 0 ? `≥ ${about(spend)}${usd(known)}` : 'cost unknown';
}

/** `~`: a part of it is an estimate. */
function about({ estimatedIterations }: SpendAccount): string {
  return estimatedIterations > 0 ? '~' : '';
}

function atLeast(spend: SpendAccount): string {
  return untold(spend) > 0 ? '≥ ' : '';
}

/** The cost in one word: what is not all of it is said to be at least that. */
export function costText(state: RunState): string {
  const costUsd = wholeCost(state);
  const { spend } = state;
  if (costUsd !== undefined) return `${about(spend)}${usd(costUsd)}`;
  const known = knownCostUsd(spend);
  return known > 0 ? `≥ ${about(spend)}${usd(known)}` : 'unknown';
}

/** Undefined when something was spent, or is being spent, that no one has reported yet. */
export function wholeCost(state: RunState): number | undefined {
  const { spend } = state;
  const isTold = (!isSpending(openIteration(state)) || spend.reported) && (spend.acceptedIterations ?? 0) === 0;
  return isTold ? totalSpend(spend).costUsd : undefined;
}

/** What the iteration under way spends is not reported yet: every sum is the least that was spent. */
export function isSpendUnreported(state: Pick<RunState, 'spend' | 'phase'>): boolean {
  const { spend } = state;
  return isSpending(openIteration(state)) && !spend.reported && hasReports(spend);
}

/** Of what is spent only a part is reported while an iteration is open, and the open one is not counted. */
export function sentenceWhileOpen(
  condition: StopCondition,
  sentence: string,
  state: Pick<RunState, 'spend' | 'phase'>,
  isLive: boolean,
): string {
  if (isOfSpend(condition) && isSpendUnreported(state)) return `≥ ${sentence}`;
  const isCount = limitOf(condition)?.quantity === 'iterations' && openIteration(state) !== undefined;
  return isCount ? `${sentence} finished, 1 ${isLive ? 'in progress' : 'cut short'}` : sentence;
}

/** Whether the figure of this condition is what was spent. */
export function isOfSpend({ type }: StopCondition): boolean {
  return CONDITION_CATALOG[type].spend === true;
}

/** Before its agent is started an iteration spends nothing. */
function isSpending(open: Iterating | undefined): boolean {
  return open !== undefined && open.step !== 'pre_hooks';
}

/** Whether anything was told, also by attempts that are under way. */
export function hasReports(spend: SpendAccount): boolean {
  return Object.keys(spendByModel(spend)).length > 0;
}

/** Iterations that reported nothing and are not estimated. */
function untold({ unknownIterations, acceptedIterations = 0 }: SpendAccount): number {
  return unknownIterations + acceptedIterations;
}

/** What makes the sum doubtful: ` (2 iterations estimated, 1 reported nothing)`. */
export function spendDoubts({ spend, pipeline }: RunState): string {
  const { estimatedIterations, notional } = spend;
  const noun = pipeline === undefined ? 'iteration' : 'attempt';
  const parts = [
    estimatedIterations > 0 ? `${plural(estimatedIterations, noun)} estimated` : undefined,
    untold(spend) > 0 ? `${count(untold(spend))} reported nothing` : undefined,
    notional ? 'a subscription pays' : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

import { leavesOf, type StopCondition } from '../../model/condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES } from '../../model/condition-catalog.js';
import { list } from '../../model/figures.js';
import { endOf } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import type { StopClass } from '../../model/stop-class.js';
import { isSilent, unpricedModels } from '../../model/spend-account.js';
import { hasBrokenGuard, preconditionOf } from '../../stop/precondition.js';
import { dayLimitPlace } from './day-limit-place.js';
import type { Surroundings } from '../cli/command-context.js';

/** What has to be done before a command can help, after a run has ended. */
export function nextAdvice(state: RunState, context: Surroundings): readonly string[] {
  if (isWithoutPrice(state)) return [priceAdvice(state)];
  if (isSilentForDay(state))
    return [`${SILENT} and start a new run, or remove max_cost_per_day from ${dayLimitPlace(context)}`];
  if (isSilent(state.spend) && SPEND_LIMITS.some((type) => endedBy(state, 'blocked', type)))
    return [`${SILENT} or resume without the limit:`];
  const first = preconditionOf(state);
  if (first !== undefined)
    return [hasBrokenGuard(state) ? `${first}, then resume; to keep the change, start a new run` : `${first}, then`];
  if (!endedBy(state, 'limit', 'max_cost_per_day')) return [];
  return [`raise max_cost_per_day in ${dayLimitPlace(context)}, or wait until 00:00 UTC; then`];
}

/** A limit over all runs of a day is not for one run to remove. */
export function isSilentForDay(state: RunState): boolean {
  return isSilent(state.spend) && endedBy(state, 'blocked', 'max_cost_per_day');
}

const SILENT =
  'the agent has reported no usage, so no limit on it can be kept: have it print usage messages (docs/guide/agents.md),';
/** Limits on spend that a resume can remove. */
const SPEND_LIMITS = CONDITION_TYPES.filter((type) => {
  const { spend, zeroIsNone } = CONDITION_CATALOG[type];
  return spend === true && zeroIsNone === true;
});

/** A limit on cost cannot be held any more: what was used at no known price stays so in the record. */
export function isWithoutPrice(state: RunState): boolean {
  const isBlocked = endedBy(state, 'blocked', 'max_cost') || endedBy(state, 'blocked', 'max_cost_per_day');
  return isBlocked && unpricedModels(state.spend).length > 0;
}

function priceAdvice({ spend, pipeline }: RunState): string {
  const [command, file] = pipeline === undefined ? ['pawl run', 'pawl.yaml'] : ['pawl pipeline run', 'the manifest'];
  const named = unpricedModels(spend).filter((name) => name !== '');
  if (named.length === 0) {
    return 'the agent does not say which model it uses, so that no price is known: limit max_tokens or max_iterations instead';
  }
  if (spend.priceListMissing === true) {
    return 'install Pawl again with all that it needs: its price list (@pydantic/genai-prices) is missing; then start again with pawl run';
  }
  const anew = `and start a new run with ${command}: what this run has spent stays unknown`;
  return `write the price of ${list(named)} under prices: in ${file}, or choose another model with --model, ${anew}`;
}

function endedBy(state: RunState, stopClass: StopClass, type: StopCondition['type']): boolean {
  const ended = endOf(state);
  return (ended?.reasons ?? []).some(
    (reason) =>
      reason.class === stopClass &&
      reason.condition !== undefined &&
      leavesOf(reason.condition).some((leaf) => leaf.type === type),
  );
}

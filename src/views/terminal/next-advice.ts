import type { StopCondition } from '../../model/condition.js';
import { CONDITION_CATALOG } from '../../model/condition-catalog.js';
import { list } from '../../model/figures.js';
import { endOf } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import { isSilent, unpricedModels } from '../../model/spend-account.js';
import { preconditionOf } from '../../stop/precondition.js';
import { dayLimitPlace } from './day-limit-place.js';
import { endedBy, isDayLimit, isSilentForDay, isWithoutPrice } from './refused-resume.js';
import type { Surroundings } from '../cli/command-context.js';

/** What has to be done before a command can help, after a run has ended. */
export function nextAdvice(state: RunState, context: Surroundings): readonly string[] {
  if (endOf(state)?.class === 'goal') return [];
  if (isWithoutPrice(state)) return [priceAdvice(state)];
  if (isSilentForDay(state))
    return [`${SILENT} and start a new run, or remove max_cost_per_day from ${dayLimitPlace(context)}`];
  if (isSilent(state.spend) && endedBy(state, 'blocked', isRemovable))
    return [`${SILENT} or resume without the limit:`];
  const first = preconditionOf(state);
  if (first !== undefined) return [`${first}, then`];
  if (!endedBy(state, 'limit', isDayLimit)) return [];
  return [`raise max_cost_per_day in ${dayLimitPlace(context)}, or wait until 00:00 UTC; then`];
}

const SILENT =
  'the agent has reported no usage, so no limit on it can be kept: have it print usage messages (docs/guide/agents.md),';

/** A limit on spend that a resume can remove. */
function isRemovable({ type }: StopCondition): boolean {
  const { spend, zeroIsNone } = CONDITION_CATALOG[type];
  return spend === true && zeroIsNone === true;
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

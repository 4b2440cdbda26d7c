import { userDayLimit } from '../config/override-layer.js';
import { type Environment, stateHome } from '../journal/run-places.js';
import type { StopCondition } from '../model/condition.js';
import { ConfigError } from '../model/errors.js';
import { dayLimitUsd, lowestLimit, type Policy, withLimit } from '../model/policy.js';
import { ownDaySpend } from '../model/reduce-lifetime.js';
import { hasEnded } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { acceptUnknown, isSilent, unpricedModels } from '../model/spend-account.js';
import { DayLedger, dayOf } from '../run/day-ledger.js';
import { noPriceText } from '../stop/facts.js';
import { list, usd } from '../model/figures.js';
import { dayLimitPlace } from './day-limit-place.js';
import { printable } from '../words/printable.js';
import type { Surroundings } from './surroundings.js';

/** The run that a command is about, as far as its limit of a day goes. */
type Limited = Pick<RunState, 'policy' | 'spec'>;

/** Throws ConfigError when a limit of a day is given that is above the user's own: a command can only lower it. */
export function checkDayCeiling(given: readonly StopCondition[], context: Surroundings, recorded?: Policy): void {
  const own = userDayLimit(context.environment);
  const most = own ?? (recorded && dayLimitUsd(recorded));
  const highest = Math.max(...given.map((limit) => lowestLimit([limit], 'dayCostUsd') ?? 0));
  if (most === undefined || highest <= most) return;
  const whose = own === undefined ? `that applies to this run` : `in ${dayLimitPlace(context)}`;
  const way = own === undefined ? `write the new one into ${dayLimitPlace(context)}` : 'raise it there';
  throw refused(`${usd(highest)} is more than the ${usd(most)} ${whose}, and a command can only lower it; ${way}`);
}

/**
 * The limits of a resume. The user's limit over all runs of a day is what it is now, not what it was when the run began;
 * one that a command has lowered stays so.
 */
export function limitsOfResume(
  given: readonly StopCondition[],
  { policy, spec }: Limited,
  environment: Environment,
): readonly StopCondition[] {
  const own = userDayLimit(environment);
  if (own === undefined || lowestLimit(given, 'dayCostUsd') !== undefined) return given;
  const held = dayLimitUsd(policy);
  const recorded = [...policy.limits, ...(spec?.policy.limits ?? [])];
  const isOld = recorded.some((limit) => lowestLimit([limit], 'dayCostUsd') === own);
  if (isOld && held !== undefined && held <= own) return given;
  return [...given, { type: 'max_cost_per_day', usd: own }];
}

/**
 * Throws ConfigError when a run could not continue today: nothing is recorded for a resume that would stop at once. `given`:
 * what the command says; `limits`: what comes of it.
 */
export function checkDayLimit(
  runId: string,
  state: RunState,
  given: readonly StopCondition[],
  limits: readonly StopCondition[],
  context: Surroundings,
): void {
  // One that was interrupted has processes to clear up, limit or not.
  const limit = hasEnded(state) ? dayLimitUsd(limits.reduce(withLimit, state.policy)) : undefined;
  if (limit === undefined) return;
  const today = dayOf(context.now());
  const isAccepted = lowestLimit(given, 'dayCostUsd') !== undefined;
  const own = ownDaySpend(isAccepted ? { ...state, spend: acceptUnknown(state.spend) } : state, today);
  if (own === undefined) throw refused(unknownText(state, limit));
  const ledger = new DayLedger(stateHome(context.environment), runId);
  const { usd: others = 0, problem } = ledger.knows(today) ? ledger.others(today) : {};
  if (problem !== undefined) throw refused(`spend unknown: ${problem}`);
  if (others + own < limit) return;
  throw refused(`${usd(others + own)} of ${usd(limit)} today; ${remedyFor(limit, context)}, or resume after 00:00 UTC`);
}

/** A lower one than the user's own was given by a command. */
function remedyFor(limit: number, context: Surroundings): string {
  const own = userDayLimit(context.environment);
  return own !== undefined && own > limit
    ? `raise it with --limit 'max_cost_per_day: ${own}'`
    : `raise it in ${dayLimitPlace(context)}`;
}

function unknownText({ spend }: RunState, limit: number): string {
  const unpriced = unpricedModels(spend);
  return unpriced.length > 0
    ? `${noPriceText([list(unpriced)], spend.priceListMissing)}, and that cannot change for this run: give it under \`prices:\` in pawl.yaml, and start a new run`
    : `what this run has spent is not known; --limit 'max_cost_per_day: ${limit}' accepts that${isSilent(spend) ? ' for one more iteration: the agent reports no usage' : ''}`;
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: 'max_cost_per_day', message: printable(message) }]);
}

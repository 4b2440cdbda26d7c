import { stateHome } from '../../journal/second-home.js';
import type { StopCondition } from '../../model/condition.js';
import { CONDITION_CATALOG } from '../../model/condition-catalog.js';
import { ConfigError } from '../../model/errors.js';
import { isTerminal } from '../../model/loop-state.js';
import { type Policy, withLimit } from '../../model/policy.js';
import { ownDaySpend, type RunState } from '../../model/run-state.js';
import { acceptUnknown, unpricedModels } from '../../model/spend-account.js';
import { DayLedger, dayOf } from '../../run/day-ledger.js';
import { list, usd } from '../../stop/figures.js';
import { dayLimitPlace } from '../terminal/day-limit-place.js';
import { printable } from '../terminal/printable.js';

/** The user's limit over all runs of a day is what it is now, not what it was when the run began. */
export function dayLimitNow(now: Policy | undefined, recorded: Policy): readonly StopCondition[] {
  const limit = dayLimitIn(now);
  return limit === undefined || limit.usd === dayLimitIn(recorded)?.usd ? [] : [limit];
}

/** Throws ConfigError when a run could not go on today: nothing is recorded of a resume that would stop at once. */
export function checkDayLimit(runId: string, state: RunState, raised: readonly StopCondition[]): void {
  // One that was interrupted has processes to clear up, limit or not.
  const limit = isTerminal(state.status) ? dayLimitIn(raised.reduce(withLimit, state.policy)) : undefined;
  if (limit === undefined) return;
  const today = dayOf(Date.now());
  const isAccepted = raised.some(({ type }) => CONDITION_CATALOG[type].spend === true);
  const own = ownDaySpend(isAccepted ? { ...state, spend: acceptUnknown(state.spend) } : state, today);
  if (own === undefined) throw refused(unknownText(state, limit));
  const ledger = new DayLedger(stateHome(process.env), runId);
  const { usd: others = 0, problem } = ledger.knows(today) ? ledger.others(today) : {};
  if (problem !== undefined) throw refused(`spend unknown: ${problem}`);
  if (others + own < limit.usd) return;
  throw refused(`${usd(others + own)} of ${usd(limit.usd)} today; raise it in ${dayLimitPlace()}, or resume tomorrow`);
}

function unknownText({ spend }: RunState, { usd: amount }: { readonly usd: number }): string {
  const unpriced = unpricedModels(spend);
  return unpriced.length > 0
    ? `no price is known for ${list(unpriced)}, and that does not change any more: give it under \`prices:\` in pawl.yaml, and start a new run`
    : `what this run has spent is not known; --limit 'max_cost_per_day: ${amount}' accepts that`;
}

function dayLimitIn(policy: Policy | undefined) {
  return policy?.limits.find((limit) => limit.type === 'max_cost_per_day');
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: 'max_cost_per_day', message: printable(message) }]);
}

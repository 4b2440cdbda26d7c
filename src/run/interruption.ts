import type { NewEvent } from '../model/run-event.js';
import { openRequestIds, type SpendAccount, totalSpend } from '../model/spend-account.js';
import type { Interrupt } from '../iteration/stop-signal.js';
import { childrenOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { RunState } from '../model/run-state.js';
import { evaluateLive } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';

type UsageReport = Extract<NewEvent, { readonly type: 'usage-reported' }>;

/** Whether an agent goes on asking its model after it was told to end because of what it spends. */
export class Overspend {
  readonly #underWay: ReadonlySet<string>;
  readonly #before: SpendAccount;

  /** As the account is when the agent is told. */
  constructor(account: SpendAccount) {
    this.#underWay = openRequestIds(account);
    this.#before = account;
  }

  /** A request that was under way may end, and a turn may be summed up: nothing of that was begun anew. */
  isSpentOn({ scope, id }: UsageReport, account: SpendAccount): boolean {
    if (scope === 'turn' || (id !== undefined && this.#underWay.has(id))) return false;
    const [before, now] = [totalSpend(this.#before), totalSpend(account)];
    return isMore(now.costUsd, before.costUsd) || isMore(now.totalTokens, before.totalTokens);
  }
}

function isMore(now: number | undefined, before: number | undefined): boolean {
  return (now ?? 0) > (before ?? 0);
}

/** Why what goes on now has to end at once; undefined when nothing has to. Whatever does also ends the run. */
export function liveInterrupt(state: RunState): Interrupt | undefined {
  const { stop, class: stopClass, reasons } = evaluateLive(state.policy, factsOf(state));
  if (!stop) return undefined;
  if (stopClass === 'operator' || stopClass === 'failure') return stopClass;
  return reasons.some(({ condition }) => condition !== undefined && isAboutSpend(condition)) ? 'budget' : 'limit';
}

function isAboutSpend(condition: StopCondition): boolean {
  return CONDITION_CATALOG[condition.type].spend === true || childrenOf(condition).some(isAboutSpend);
}

import { beginProcess, closeSession, settleAll } from './report-spend.js';
import { iterationSpend, mapValues, type SpendAccount } from './spend-account.js';
import { addSpend, isNothing, largerSpend, NOTHING_SPENT, orElse, type Spend, spendSince } from './usage.js';

/** More in a row are not the network's moods: perhaps it is the agent's stream that does not arrive. */
const MOST_UNANSWERED = 3;

export function beginIteration(account: SpendAccount): SpendAccount {
  const settled = beginProcess(closeSession(account));
  // What was cut off between two iterations is charged like one.
  const charged = settled.cutOff === true ? chargeUnknown(settled) : settled;
  const models = mapValues(charged.models, (model) => ({
    ...model,
    settledInIteration: NOTHING_SPENT,
    unclaimed: NOTHING_SPENT,
    open: [],
  }));
  return { ...charged, models, session: undefined, reported: false };
}

/** How an iteration ended, as far as its account goes. */
export interface IterationClose {
  readonly agentStarted: boolean;
  /** It failed before its first answer. */
  readonly unanswered?: boolean | undefined;
  /** It was cut off before it had reported all that it used. */
  readonly spendIncomplete?: boolean | undefined;
}

/** Settles the spend of an iteration. One that spent but reported nothing is charged like the dearest so far. */
export function endIteration(account: SpendAccount, close: IterationClose): SpendAccount {
  const { agentStarted, unanswered, spendIncomplete } = close;
  const settled = settleAll(account);
  if (settled.cutOff === true) return chargeCutOff(settled, dearestCall(account));
  if (settled.reported) {
    const spent = iterationSpend(settled);
    if (spendIncomplete === true) return chargeRest(settled, spent);
    return { ...settled, dearest: settled.dearest === undefined ? spent : largerSpend(settled.dearest, spent) };
  }
  if (!agentStarted) return settled;
  const unansweredInARow = unanswered === true ? (settled.unansweredInARow ?? 0) + 1 : undefined;
  const counted = { ...settled, unansweredInARow };
  return (unansweredInARow ?? MOST_UNANSWERED + 1) > MOST_UNANSWERED ? chargeUnknown(counted) : counted;
}

/** A request reports its output last: what is known may be next to nothing. */
function chargeRest(account: SpendAccount, spent: Spend): SpendAccount {
  const rest = spendSince(largerSpend(account.dearest ?? spent, spent), spent);
  if (isNothing(orElse(rest, NOTHING_SPENT)))
    return { ...account, dearest: largerSpend(account.dearest ?? spent, spent) };
  const { estimated, estimatedIterations } = account;
  return { ...account, estimated: addSpend(estimated, rest), estimatedIterations: estimatedIterations + 1 };
}

/** Where no iteration before has spent anything, a call that was cut off is charged like the dearest of its own. */
function chargeCutOff(settled: SpendAccount, call: Spend | undefined): SpendAccount {
  if (!isNothing(settled.dearest ?? NOTHING_SPENT)) return chargeUnknown(settled);
  const spent = iterationSpend(settled);
  if (isNothing(spent)) return chargeUnknown({ ...settled, dearest: undefined });
  return { ...chargeUnknown({ ...settled, dearest: call ?? spent }), dearest: spent };
}

function dearestCall({ models }: SpendAccount): Spend | undefined {
  const calls = Object.values(models).flatMap(({ open }) => open.map(({ spend }) => spend));
  return calls.length === 0 ? undefined : calls.reduce(largerSpend);
}

function chargeUnknown(account: SpendAccount): SpendAccount {
  const known = { ...account, cutOff: undefined };
  if (known.dearest === undefined) return { ...known, unknownIterations: known.unknownIterations + 1 };
  return {
    ...known,
    estimated: addSpend(known.estimated, known.dearest),
    estimatedIterations: known.estimatedIterations + 1,
  };
}

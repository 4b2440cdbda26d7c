import { addSpend, NOTHING_SPENT, orElse, type Spend } from './usage.js';

/**
 * What a run has spent, from reports that overlap. The rule is in docs/guide/cost.md: a request is repeated under its id,
 * a turn covers the requests since the turn before, a total covers everything that was counted for its session, or for
 * its process where it names no session. Where two reports cover the same work, the larger counts, once.
 */
export interface SpendAccount {
  readonly models: Readonly<Record<string, ModelAccount>>;
  /** Charged for iterations that reported nothing, at the price of the dearest one. */
  readonly estimated: Spend;
  readonly estimatedIterations: number;
  /** Iterations that reported nothing, with none before to estimate them by. */
  readonly unknownIterations: number;
  /** Such iterations that an operator has accepted: they hold up no budget, and what they cost is still not known. */
  readonly acceptedIterations?: number | undefined;
  /** The last iterations that failed before their first answer, one after the other. */
  readonly unansweredInARow?: number | undefined;
  /** The most that one iteration used, count by count. */
  readonly dearest?: Spend | undefined;
  /** Something was reported since the iteration began. */
  readonly reported: boolean;
  /** A call of the iteration was cut off: it spent more than was reported. */
  readonly cutOff?: true | undefined;
  readonly notional: boolean;
  /** Something has no price because the price list could not be loaded. */
  readonly priceListMissing?: true | undefined;
  /** The last total of each session and model: one that shrank has started again. */
  readonly sessionTotals: readonly SessionTotal[];
  /** What is counted for the work of each session, by model: the next total of that session covers it. */
  readonly counted: readonly SessionTotal[];
  /** The session of the iteration under way, as far as the agent has named it. */
  readonly session?: string | undefined;
  /** Pipeline: what the attempts under way have spent, each for itself. */
  readonly lanes?: Readonly<Record<string, SpendAccount>> | undefined;
}

export interface ModelAccount {
  readonly settled: Spend;
  /** The part of `settled` that belongs to the iteration under way. */
  readonly settledInIteration: Spend;
  /** The part that belongs to the process under way: a total without a session covers it. */
  readonly settledInProcess: Spend;
  /** The part of the iteration that no session's total has covered: the next one does. */
  readonly unclaimed: Spend;
  /** Requests of the open turn, and settled ones that may be reported again; the oldest are added to `closed` when there are many. */
  readonly open: readonly OpenRequest[];
  readonly closed: Spend;
}

interface OpenRequest {
  readonly id: string | undefined;
  readonly spend: Spend;
  readonly settled?: true | undefined;
}

export interface SessionTotal {
  /** Empty for a total that names no session. */
  readonly session: string;
  /** Empty for a total that names no model. */
  readonly model: string;
  readonly spend: Spend;
}

const MOST_MODELS = 32;

export const EMPTY_ACCOUNT: SpendAccount = Object.freeze({
  models: {},
  estimated: NOTHING_SPENT,
  estimatedIterations: 0,
  unknownIterations: 0,
  reported: false,
  notional: false,
  sessionTotals: [],
  counted: [],
});

const NEW_MODEL: ModelAccount = Object.freeze({
  settled: NOTHING_SPENT,
  settledInIteration: NOTHING_SPENT,
  settledInProcess: NOTHING_SPENT,
  unclaimed: NOTHING_SPENT,
  open: [],
  closed: NOTHING_SPENT,
});

/** An operator who sets a new budget accepts what is unknown: from here on it counts again. */
export function acceptUnknown(account: SpendAccount): SpendAccount {
  const { unknownIterations, acceptedIterations = 0 } = account;
  if (unknownIterations === 0) return account;
  return { ...account, unknownIterations: 0, acceptedIterations: acceptedIterations + unknownIterations };
}

/** The cost as far as it is known, estimates included. */
export function knownCostUsd(account: SpendAccount): number {
  const parts = [account.estimated, ...Object.values(spendByModel(account))];
  return parts.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
}

/** Iterations have ended, and none of them has reported any usage. */
export function isSilent({ models, lanes, unknownIterations, acceptedIterations = 0 }: SpendAccount): boolean {
  const hasReported = [models, lanes ?? {}].some((parts) => Object.keys(parts).length > 0);
  return !hasReported && unknownIterations + acceptedIterations > 0;
}

/** Everything spent so far. A field is undefined when one of its parts is. */
export function totalSpend(account: SpendAccount): Spend {
  if (account.unknownIterations > 0) return {};
  let total = account.estimated;
  for (const model of Object.values(account.models)) total = addSpend(total, addSpend(model.settled, openSpend(model)));
  for (const lane of Object.values(account.lanes ?? {})) total = addSpend(total, totalSpend(lane));
  return total;
}

/** The cost without the iterations that reported nothing; undefined when something was used that has no price. */
export function reportedCostUsd(account: SpendAccount): number | undefined {
  return totalSpend({ ...account, unknownIterations: 0 }).costUsd;
}

/** Spent in the iteration under way, or in the last one. */
export function iterationSpend(account: SpendAccount): Spend {
  let total: Spend = NOTHING_SPENT;
  for (const model of Object.values(account.models)) {
    total = addSpend(total, addSpend(model.settledInIteration, openSpend(model)));
  }
  return total;
}

/** Spend by model name; usage that named none is under the empty name. */
export function spendByModel(account: SpendAccount): Readonly<Record<string, Spend>> {
  const byModel = mapValues(account.models, (model) => addSpend(model.settled, openSpend(model)));
  for (const lane of Object.values(account.lanes ?? {})) {
    for (const [name, spend] of Object.entries(spendByModel(lane))) {
      byModel[name] = Object.hasOwn(byModel, name) ? addSpend(byModel[name] ?? {}, spend) : spend;
    }
  }
  return byModel;
}

/** The requests of the turn under way, as far as they have an id and are remembered. */
export function openRequestIds({ models }: SpendAccount): ReadonlySet<string> {
  return new Set(Object.values(models).flatMap(({ open }) => open.flatMap(({ id }) => id ?? [])));
}

/** Models that were used and have no price; usage that named none is under the empty name. */
export function unpricedModels(account: SpendAccount): readonly string[] {
  return Object.entries(spendByModel(account))
    .filter(([, model]) => model.costUsd === undefined && model.totalTokens !== undefined)
    .map(([name]) => name);
}

/** The open turn's sum; `defaults` replaces what a request left unknown. */
export function openSpend(model: ModelAccount, defaults: Spend = {}): Spend {
  return model.open.reduce(
    (sum, request) => (request.settled === true ? sum : addSpend(sum, orElse(request.spend, defaults))),
    orElse(model.closed, defaults),
  );
}

export function modelOf(account: SpendAccount, name: string): ModelAccount {
  return (Object.hasOwn(account.models, name) ? account.models[name] : undefined) ?? NEW_MODEL;
}

/** An agent that invents a model name per request does not grow the state. */
export function modelName(account: SpendAccount, name = ''): string {
  if (Object.hasOwn(account.models, name) || Object.keys(account.models).length < MOST_MODELS) return name;
  return '';
}

export function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

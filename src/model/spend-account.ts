import type { EventOf } from './run-event.js';
import {
  addSpend,
  cleanSpend,
  isUnknown,
  largerSpend,
  NOTHING_SPENT,
  orElse,
  type Spend,
  spendSince,
} from './usage.js';

/**
 * What a run has spent, from reports that overlap. A request is repeated under its id and the last report of it counts;
 * a turn covers the requests since the turn before; a session's total covers everything since its last total. Where two
 * reports of the same thing differ, the larger counts.
 */
export interface SpendAccount {
  readonly models: Readonly<Record<string, ModelAccount>>;
  /** Charged for iterations that told nothing, at the price of the dearest one. */
  readonly estimated: Spend;
  readonly estimatedIterations: number;
  /** Iterations that told nothing, with none before to estimate them by. */
  readonly unknownIterations: number;
  /** Such iterations that an operator has accepted: they hold up no budget, and what they cost is still not known. */
  readonly acceptedIterations?: number | undefined;
  /** The last iterations that failed before their first answer, one after the other. */
  readonly unansweredInARow?: number | undefined;
  /** The most that one iteration used, count by count. */
  readonly dearest?: Spend | undefined;
  /** Something was reported since the iteration began. */
  readonly reported: boolean;
  /** A call of the iteration was cut off: it spent something beside what was reported. */
  readonly cutOff?: true | undefined;
  readonly notional: boolean;
  /** Something has no price because the price list could not be loaded. */
  readonly priceListMissing?: true | undefined;
  readonly sessionTotals: readonly { readonly key: string; readonly spend: Spend }[];
  /** Pipeline: what the attempts under way have spent, each for itself. */
  readonly lanes?: Readonly<Record<string, SpendAccount>> | undefined;
}

interface ModelAccount {
  readonly settled: Spend;
  /** The part of `settled` that belongs to the iteration under way. */
  readonly settledInIteration: Spend;
  /** Requests of the open turn; the oldest are added to `closed` when there are many. */
  readonly open: readonly { readonly id: string | undefined; readonly spend: Spend }[];
  readonly closed: Spend;
}

type UsageReport = EventOf<'usage-reported'>;

const OPEN_REQUESTS = 64;
const REMEMBERED_SESSIONS = 16;
const MOST_MODELS = 32;

export const EMPTY_ACCOUNT: SpendAccount = Object.freeze({
  models: {},
  estimated: NOTHING_SPENT,
  estimatedIterations: 0,
  unknownIterations: 0,
  reported: false,
  notional: false,
  sessionTotals: [],
});

const NEW_MODEL: ModelAccount = Object.freeze({
  settled: NOTHING_SPENT,
  settledInIteration: NOTHING_SPENT,
  open: [],
  closed: NOTHING_SPENT,
});

/** An operator who sets a new budget accepts what nobody can tell: from here on it counts again. */
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

/** Everything spent so far. A field is undefined when one of its parts is. */
export function totalSpend(account: SpendAccount): Spend {
  if (account.unknownIterations > 0) return {};
  let total = account.estimated;
  for (const model of Object.values(account.models)) total = addSpend(total, addSpend(model.settled, openSpend(model)));
  for (const lane of Object.values(account.lanes ?? {})) total = addSpend(total, totalSpend(lane));
  return total;
}

/** The cost without the iterations that told nothing; undefined when something was used that has no price. */
export function toldCostUsd(account: SpendAccount): number | undefined {
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

export function reportSpend(account: SpendAccount, report: UsageReport): SpendAccount {
  const { spend } = cleanSpend(report.spend);
  if (isUnknown(spend)) return report.unknown === true ? { ...account, cutOff: true } : account;
  switch (report.scope) {
    case 'request':
      return told(account, report, addRequest(account, requestModel(account, report), report.id, spend));
    case 'turn':
      return told(account, report, coverTurn(account, report.model, spend));
    case 'session-total': {
      const key = `${report.session ?? ''}\n${report.model ?? ''}`;
      const before = account.sessionTotals.find((total) => total.key === key);
      const others = account.sessionTotals.filter((total) => total.key !== key);
      const grown = spendSince(spend, before?.spend ?? NOTHING_SPENT);
      const sessionTotals = [...others, { key, spend }].slice(-REMEMBERED_SESSIONS);
      return told(account, report, coverTurn(account, report.model, grown), sessionTotals);
    }
    default:
      return report.scope satisfies never;
  }
}

/** The account with new figures. Written out, because it is made anew at every usage event. */
function told(
  account: SpendAccount,
  { notional, priceListMissing }: UsageReport,
  models: SpendAccount['models'],
  sessionTotals = account.sessionTotals,
): SpendAccount {
  return {
    models,
    estimated: account.estimated,
    estimatedIterations: account.estimatedIterations,
    unknownIterations: account.unknownIterations,
    acceptedIterations: account.acceptedIterations,
    dearest: account.dearest,
    reported: true,
    cutOff: account.cutOff,
    notional: account.notional || notional === true,
    priceListMissing: account.priceListMissing ?? priceListMissing,
    sessionTotals,
    lanes: account.lanes,
  };
}

/** A later report of a request may leave its model out. */
function requestModel(account: SpendAccount, { id, model }: UsageReport): string {
  if (model !== undefined || id === undefined) return modelName(account, model);
  const open = Object.keys(account.models).find((name) => modelOf(account, name).open.some((one) => one.id === id));
  return open ?? modelName(account, model);
}

function addRequest(account: SpendAccount, name: string, id: string | undefined, spend: Spend): SpendAccount['models'] {
  const model = modelOf(account, name);
  const index = id === undefined ? -1 : model.open.findIndex((request) => request.id === id);
  let { open, closed } = model;
  if (index >= 0) open = open.with(index, { id, spend: largerSpend(open[index]?.spend ?? {}, spend) });
  else open = [...open, { id, spend }];
  const [oldest] = open;
  if (open.length > OPEN_REQUESTS && oldest !== undefined) {
    closed = addSpend(closed, oldest.spend);
    open = open.slice(1);
  }
  const { settled, settledInIteration } = model;
  return { ...account.models, [name]: { settled, settledInIteration, open, closed } };
}

/**
 * Settles the open requests of a model (or of all, when the report names none) that a report of their sum covers. What
 * the report has beyond them is added; what they left unknown and the report knows is taken from the report; what the
 * report leaves unknown of what it has beyond them stays unknown.
 */
function coverTurn(account: SpendAccount, model: string | undefined, reported: Spend): SpendAccount['models'] {
  const covered = Object.keys(account.models).filter((name) => model === undefined || name === model);
  const noneWhereTold = spendSince(reported, reported);
  const hadRequests = covered.some((name) => modelOf(account, name).open.length > 0);
  let told: Spend = NOTHING_SPENT;
  let next = account;
  for (const name of covered) {
    const spent = openSpend(modelOf(account, name), noneWhereTold);
    told = addSpend(told, spent);
    next = settle(next, name, spent);
  }
  const key = modelName(next, model ?? (covered.length === 1 ? covered[0] : undefined));
  return settle(next, key, beyondRequests(reported, told, hadRequests)).models;
}

function beyondRequests(reported: Spend, told: Spend, hadRequests: boolean): Spend {
  if (!hadRequests) return reported;
  const beyond = orElse(spendSince(largerSpend(told, reported), told), NOTHING_SPENT);
  const isMore = (beyond.totalTokens ?? 0) > 0 || (beyond.inputTokens ?? 0) > 0 || (beyond.outputTokens ?? 0) > 0;
  return isMore && reported.costUsd === undefined ? { ...beyond, costUsd: undefined } : beyond;
}

/** Closes the open turn of every model. */
export function settleAll(account: SpendAccount): SpendAccount {
  return Object.keys(account.models).reduce(
    (next, name) => settle(next, name, openSpend(modelOf(account, name))),
    account,
  );
}

/** Books `spent` for a model and closes its open turn. */
export function settle(account: SpendAccount, name: string, spent: Spend): SpendAccount {
  const model = modelOf(account, name);
  return withModel(account, name, {
    settled: addSpend(model.settled, spent),
    settledInIteration: addSpend(model.settledInIteration, spent),
    open: [],
    closed: NOTHING_SPENT,
  });
}

/** The open turn's sum; `defaults` stands in for what a request left unknown. */
function openSpend(model: ModelAccount, defaults: Spend = {}): Spend {
  return model.open.reduce(
    (sum, request) => addSpend(sum, orElse(request.spend, defaults)),
    orElse(model.closed, defaults),
  );
}

function modelOf(account: SpendAccount, name: string): ModelAccount {
  return (Object.hasOwn(account.models, name) ? account.models[name] : undefined) ?? NEW_MODEL;
}

/** An agent that invents a model name per request does not grow the state. */
export function modelName(account: SpendAccount, name = ''): string {
  if (Object.hasOwn(account.models, name) || Object.keys(account.models).length < MOST_MODELS) return name;
  return '';
}

function withModel(account: SpendAccount, name: string, model: ModelAccount): SpendAccount {
  return { ...account, models: { ...account.models, [name]: model } };
}

export function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

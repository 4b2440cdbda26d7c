import type { EventOf } from './run-event.js';
import {
  mapValues,
  type ModelAccount,
  modelName,
  modelOf,
  openSpend,
  type SessionTotal,
  type SpendAccount,
  iterationSpend,
} from './spend-account.js';
import {
  addSpend,
  cleanSpend,
  costAt,
  isNothing,
  isUnknown,
  largerSpend,
  NOTHING_SPENT,
  orElse,
  type Spend,
  spendSince,
} from './usage.js';

type UsageReport = EventOf<'usage-reported'>;

const OPEN_REQUESTS = 64;
const REMEMBERED_SESSIONS = 16;
const REMEMBERED_SHARES = 32;
/** The key of totals that name no session. */
const NO_SESSION = '';

export function reportSpend(account: SpendAccount, report: UsageReport): SpendAccount {
  const { spend } = cleanSpend(report.spend);
  if (isUnknown(spend)) return report.unknown === true ? { ...account, cutOff: true } : account;
  switch (report.scope) {
    case 'request':
      return withModels(account, report, addRequest(account, requestModel(account, report), report.id, spend));
    case 'turn':
      return withModels(
        account,
        report,
        cover(account, { ...report, spend }, () => NOTHING_SPENT),
      );
    case 'session-total':
      return reportTotal(account, { ...report, spend });
    default:
      return report.scope satisfies never;
  }
}

/** A total covers what is counted for its session, or for the process where it names none. */
function reportTotal(account: SpendAccount, report: UsageReport): SpendAccount {
  const { session = NO_SESSION, model = '', spend } = report;
  const isThis = (total: SessionTotal): boolean => total.session === session && total.model === model;
  const before = account.sessionTotals.find(isThis);
  const base = before !== undefined && hasShrunk(spend, before.spend) ? startAgain(account, session, model) : account;
  const models = cover(base, report, (name) =>
    session === NO_SESSION
      ? modelOf(base, name).settledInProcess
      : addSpend(countedOf(base, session, name), modelOf(base, name).unclaimed),
  );
  const others = account.sessionTotals.filter((total) => !isThis(total));
  const sessionTotals = [...others, { session, model, spend }].slice(-REMEMBERED_SESSIONS);
  const next = { ...withModels(base, report, models), sessionTotals };
  return session === NO_SESSION ? next : claim(next, session, report.model);
}

/**
 * The total with which an imported session ends covers all of its calls: what they left unknown, or did not report, is in
 * it.
 */
export function reportRecordedTotal(account: SpendAccount, report: UsageReport): SpendAccount {
  const { spend } = cleanSpend(report.spend);
  const settled = settleAll(account);
  const zeroWhereReported = spendSince(spend, spend);
  const isPriced = Object.values(settled.models).every((model) => model.settled.costUsd !== undefined);
  const models = mapValues(settled.models, (model) => ({
    ...model,
    settled: orElse(model.settled, zeroWhereReported),
    settledInIteration: orElse(model.settledInIteration, zeroWhereReported),
  }));
  const known = { ...withModels(settled, report, models), unknownIterations: 0 };
  const counted = Object.values(models).reduce<Spend>((sum, model) => addSpend(sum, model.settled), NOTHING_SPENT);
  const names = Object.keys(models);
  const key = modelName(known, report.model ?? (names.length === 1 ? names[0] : undefined));
  return settle(known, key, beyondRequests({ ...report, spend }, counted, isPriced));
}

/** What came before a total that shrank is not in it. */
function startAgain(account: SpendAccount, session: string, model: string): SpendAccount {
  const isCovered = (name: string): boolean => model === '' || name === model;
  if (session !== NO_SESSION) {
    const isOther = (share: SessionTotal): boolean => share.session !== session || !isCovered(share.model);
    return { ...account, counted: account.counted.filter(isOther) };
  }
  const models = Object.entries(account.models).map(([name, one]) => [
    name,
    isCovered(name) ? { ...one, settledInProcess: NOTHING_SPENT } : one,
  ]);
  return { ...account, models: Object.fromEntries(models) as SpendAccount['models'] };
}

/** A cost alone may shrink with a price. */
function hasShrunk(now: Spend, before: Spend): boolean {
  const tokens = (['inputTokens', 'outputTokens', 'totalTokens'] as const).filter(
    (field) => now[field] !== undefined && before[field] !== undefined,
  );
  const fields = tokens.length > 0 ? tokens : (['costUsd'] as const);
  return fields.some((field) => (now[field] ?? 0) < (before[field] ?? 0));
}

function countedOf({ counted }: SpendAccount, session: string, model: string): Spend {
  return counted.find((share) => share.session === session && share.model === model)?.spend ?? NOTHING_SPENT;
}

/** Counts what is not claimed for a session yet. */
function claim(account: SpendAccount, session: string, model?: string): SpendAccount {
  const names = Object.keys(account.models).filter((name) => model === undefined || name === model);
  const shares = names
    .map((name) => ({
      session,
      model: name,
      spend: addSpend(countedOf(account, session, name), modelOf(account, name).unclaimed),
    }))
    .filter(({ spend }) => !isNothing(spend));
  const others = account.counted.filter((share) => share.session !== session || !names.includes(share.model));
  const claimed = names.map((name) => [name, { ...modelOf(account, name), unclaimed: NOTHING_SPENT }]);
  return {
    ...account,
    models: { ...account.models, ...(Object.fromEntries(claimed) as SpendAccount['models']) },
    counted: [...others, ...shares].slice(-REMEMBERED_SHARES),
  };
}

/** What was settled before belongs to the session before. */
export function openSession(account: SpendAccount, session: string): SpendAccount {
  if (account.session === session) return account;
  return { ...(account.session === undefined ? account : claim(account, account.session)), session };
}

/** A later total of the session covers what this iteration has reported. */
export function closeSession(account: SpendAccount): SpendAccount {
  const settled = settleAll(account);
  return settled.session === undefined ? settled : claim(settled, settled.session);
}

/** Another process begins: totals without a session start again. */
export function beginProcess(account: SpendAccount): SpendAccount {
  const settled = settleAll(account);
  return {
    ...settled,
    models: mapValues(settled.models, (model) => ({ ...model, settledInProcess: NOTHING_SPENT })),
    sessionTotals: settled.sessionTotals.filter(({ session }) => session !== NO_SESSION),
  };
}

/** The account with new figures. Written out, because every usage event makes one. */
function withModels(
  account: SpendAccount,
  { notional, priceListMissing }: UsageReport,
  models: SpendAccount['models'],
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
    sessionTotals: account.sessionTotals,
    counted: account.counted,
    session: account.session,
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
  const known = model.open[index];
  const larger = known === undefined ? spend : largerSpend(known.spend, spend);
  if (known?.settled === true) {
    const open = model.open.with(index, { ...known, spend: larger });
    const grown = orElse(spendSince(larger, orElse(known.spend, larger)), NOTHING_SPENT);
    return { ...account.models, [name]: { ...charge(model, grown), open } };
  }
  let { open, closed } = model;
  if (known !== undefined) open = open.with(index, { id, spend: larger });
  else open = [...open, { id, spend }];
  const [oldest] = open;
  if (open.length > OPEN_REQUESTS && oldest !== undefined) {
    if (oldest.settled !== true) closed = addSpend(closed, oldest.spend);
    open = open.slice(1);
  }
  const { settled, settledInIteration, settledInProcess, unclaimed } = model;
  return { ...account.models, [name]: { settled, settledInIteration, settledInProcess, unclaimed, open, closed } };
}

/**
 * Settles the open requests of a model (or of all, when the report names none) that a report of their sum covers, with
 * what was settled of the same work before. What the report has beyond them is added; what they left unknown and the
 * report knows is taken from the report; what the report leaves unknown of what it has beyond them stays unknown.
 */
function cover(account: SpendAccount, report: UsageReport, settledOf: (name: string) => Spend): SpendAccount['models'] {
  const { model, spend: reported } = report;
  const covered = Object.keys(account.models).filter((name) => model === undefined || name === model);
  const zeroWhereReported = spendSince(reported, reported);
  let inRequests: Spend = NOTHING_SPENT;
  let isPriced = true;
  let next = account;
  for (const name of covered) {
    const open = openSpend(modelOf(account, name));
    const spent = openSpend(modelOf(account, name), zeroWhereReported);
    isPriced &&= open.costUsd !== undefined;
    inRequests = addSpend(addSpend(inRequests, spent), orElse(settledOf(name), zeroWhereReported));
    next = settle(next, name, spent);
  }
  const key = modelName(next, model ?? (covered.length === 1 ? covered[0] : undefined));
  const beyond = isNothing(inRequests) ? reported : beyondRequests(report, inRequests, isPriced);
  return settle(next, key, beyond).models;
}

/** What was seen in requests has its price. What a sum has beyond them costs what its own rates say, if it has any. */
function beyondRequests({ spend: reported, rates }: UsageReport, inRequests: Spend, isPriced: boolean): Spend {
  const beyond = orElse(spendSince(largerSpend(inRequests, reported), inRequests), NOTHING_SPENT);
  const isMore = (beyond.totalTokens ?? 0) > 0 || (beyond.inputTokens ?? 0) > 0 || (beyond.outputTokens ?? 0) > 0;
  if (isMore && reported.costUsd === undefined) return { ...beyond, costUsd: undefined };
  return rates !== undefined && isPriced ? { ...beyond, costUsd: costAt(beyond, rates) } : beyond;
}

/** Closes the open turn of every model. */
export function settleAll(account: SpendAccount): SpendAccount {
  return Object.keys(account.models).reduce(
    (next, name) => settle(next, name, openSpend(modelOf(account, name))),
    account,
  );
}

/** Charges `spent` to a model and closes its open turn. A request of it may be reported again. */
export function settle(account: SpendAccount, name: string, spent: Spend): SpendAccount {
  const model = modelOf(account, name);
  const open = model.open.flatMap(({ id, spend }) => (id === undefined ? [] : [{ id, spend, settled: true as const }]));
  return withModel(account, name, { ...charge(model, spent), open, closed: NOTHING_SPENT });
}

function charge(model: ModelAccount, spent: Spend): ModelAccount {
  return {
    settled: addSpend(model.settled, spent),
    settledInIteration: addSpend(model.settledInIteration, spent),
    settledInProcess: addSpend(model.settledInProcess, spent),
    unclaimed: addSpend(model.unclaimed, spent),
    open: model.open,
    closed: model.closed,
  };
}

function withModel(account: SpendAccount, name: string, model: ModelAccount): SpendAccount {
  return { ...account, models: { ...account.models, [name]: model } };
}

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
interface IterationClose {
  readonly agentStarted: boolean;
  /** It failed before its first answer. */
  readonly unanswered?: boolean | undefined;
  /** It was cut off before it had reported all that it used. */
  readonly spendIncomplete?: boolean | undefined;
  /** A call that another tool has recorded: nothing is estimated. */
  readonly isImported?: boolean | undefined;
}

/** Settles the spend of an iteration. One that spent but reported nothing is charged like the dearest so far. */
export function endIteration(account: SpendAccount, close: IterationClose): SpendAccount {
  const { agentStarted, unanswered, spendIncomplete } = close;
  const settled = settleAll(account);
  if (close.isImported === true) {
    return settled.reported ? settled : { ...settled, unknownIterations: settled.unknownIterations + 1 };
  }
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

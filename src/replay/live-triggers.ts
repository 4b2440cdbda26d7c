import { type ConditionType, leavesOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG, limitOf } from '../model/condition-catalog.js';
import { SPEND_EVENTS } from '../model/judging/spend-answer.js';
import type { Policy } from '../model/policy.js';
import { type EventType, LIVE_EVENTS, type RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';
import { interruptingEntries } from '../stop/evaluate-policy.js';

const SPEND: readonly EventType[] = SPEND_EVENTS;

/** Which events can make a policy interrupt, so that the others need not be judged. */
export interface LiveTriggers {
  readonly types: ReadonlySet<EventType>;
  /** Limits that stand for themselves, the lowest of each: before they are reached, they cannot hold. */
  readonly activeMs: number;
  readonly atMs: number;
  /** Time also decides inside of a composite: it may hold after any event. */
  readonly isTimed: boolean;
  readonly spend: Readonly<Record<SpendField, number>>;
}

type SpendField = 'costUsd' | 'totalTokens' | 'inputTokens' | 'outputTokens';

const SPEND_FIELDS: readonly SpendField[] = ['costUsd', 'totalTokens', 'inputTokens', 'outputTokens'];

export function isLiveEvent({ type }: RunEvent): boolean {
  return LIVE_EVENTS.has(type);
}

export function triggersOf(policy: Policy): LiveTriggers {
  // What an operator asks for, and what a person must see to, counts under any policy.
  const types = new Set<EventType>(['command-received', 'error-seen']);
  const never = Number.POSITIVE_INFINITY;
  const found = { activeMs: never, atMs: never };
  const spend = { costUsd: never, totalTokens: never, inputTokens: never, outputTokens: never };
  let isTimed = false;
  for (const { condition } of interruptingEntries(policy)) {
    const { quantity, amount } = limitOf(condition) ?? {};
    if (quantity === 'activeMs' || quantity === 'atMs') found[quantity] = Math.min(found[quantity], amount ?? 0);
    else if (isSpendField(quantity)) spend[quantity] = Math.min(spend[quantity], amount ?? 0);
    else {
      const leaves = leavesOf(condition);
      isTimed ||= leaves.some(isTimeLimit);
      for (const { type } of leaves) for (const moving of movingEvents(type)) types.add(moving);
    }
  }
  return { types, ...found, isTimed, spend };
}

function isSpendField(quantity: string | undefined): quantity is SpendField {
  return SPEND_FIELDS.includes(quantity as SpendField);
}

function isTimeLimit(condition: StopCondition): boolean {
  const { quantity } = limitOf(condition) ?? {};
  return quantity === 'activeMs' || quantity === 'atMs';
}

function movingEvents(type: ConditionType): Iterable<EventType> {
  return CONDITION_CATALOG[type].movedBy ?? LIVE_EVENTS;
}

/** Time passes with every event, also with one that moves nothing else. */
export function isTimeUp({ activeMs, atMs, isTimed }: LiveTriggers, event: RunEvent): boolean {
  if (isTimed || event.activeMs >= activeMs) return true;
  return atMs !== Number.POSITIVE_INFINITY && !(Date.parse(event.at) < atMs);
}

/** Whether a policy may say something else after this event than before. */
export function isMoved(triggers: LiveTriggers, event: RunEvent, state: RunState): boolean {
  const { types, spend } = triggers;
  if (types.has(event.type) || isTimeUp(triggers, event)) return true;
  if (!SPEND.includes(event.type)) return false;
  if (state.latest.stoppedItself === 'budget') return true;
  const spent = totalSpend(state.spend);
  // What is not known may be anything.
  return SPEND_FIELDS.some(
    (field) => spend[field] !== Number.POSITIVE_INFINITY && !((spent[field] ?? Number.NaN) < spend[field]),
  );
}

import { type ConditionType, leavesOf, type StopCondition } from '../model/condition.js';
import { parseDuration } from '../model/duration.js';
import { LIVE_EVENTS } from '../model/live-events.js';
import type { Policy } from '../model/policy.js';
import type { EventType, RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';
import { interruptingEntries } from '../stop/live.js';

const SPEND: readonly EventType[] = ['usage-reported', 'agent-finished', 'day-spend-seen', 'batch-spend-seen'];

/** By which of them a live condition can come to hold. Time passes with each. */
const MOVED_BY: Partial<Record<ConditionType, readonly EventType[]>> = {
  max_tokens: SPEND,
  max_input_tokens: SPEND,
  max_output_tokens: SPEND,
  max_cost: SPEND,
  max_cost_per_day: SPEND,
  max_cost_of_batch: SPEND,
  output_pattern: ['agent-said'],
  agent_reports_blocked: ['claim-made'],
  on_error: ['error-seen'],
  repeated_error: ['error-seen'],
  permission_denied: ['permission-denied'],
  context_above: ['context-reported'],
};

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
    const [field, limit] = limitOf(condition) ?? [];
    if (field === 'activeMs' || field === 'atMs') found[field] = Math.min(found[field], limit ?? 0);
    else if (field !== undefined) spend[field] = Math.min(spend[field], limit ?? 0);
    else {
      isTimed ||= leavesOf(condition).some(({ type }) => type === 'max_duration' || type === 'deadline');
      for (const leaf of leavesOf(condition)) for (const type of MOVED_BY[leaf.type] ?? LIVE_EVENTS) types.add(type);
    }
  }
  return { types, ...found, isTimed, spend };
}

/** What one figure alone decides. */
function limitOf(condition: StopCondition): readonly [SpendField | 'activeMs' | 'atMs', number] | undefined {
  switch (condition.type) {
    case 'max_duration':
      return ['activeMs', parseDuration(condition.duration) ?? 0];
    case 'deadline':
      return ['atMs', Date.parse(condition.at)];
    case 'max_cost':
      return condition.model === undefined ? ['costUsd', condition.usd] : undefined;
    case 'max_tokens':
      return ['totalTokens', condition.count];
    case 'max_input_tokens':
      return ['inputTokens', condition.count];
    case 'max_output_tokens':
      return ['outputTokens', condition.count];
    default:
      return undefined;
  }
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

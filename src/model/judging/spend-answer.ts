import { plural } from '../figures.js';
import { unitOf } from '../unit.js';
import { type Answer, reached, spendUnknown, unknown } from './answer.js';
import type { MovingEvent } from './condition-definition.js';
import type { Facts } from './facts.js';

export const SPEND_EVENTS: readonly MovingEvent[] = [
  'usage-reported',
  'agent-finished',
  'day-spend-seen',
  'batch-spend-seen',
];

interface Spent {
  readonly used: number | undefined;
  readonly limit: number;
  /** Why it is unknown although something may have been spent: the limit cannot be enforced. */
  readonly problem: string | undefined;
  /** Nothing has run and nothing was reported. */
  readonly nothing: string;
}

export function spendAnswer({ used, limit, problem, nothing }: Spent, sentence: (value: number) => string): Answer {
  if (used !== undefined && used >= 0) return reached(used, limit, sentence);
  return problem === undefined ? unknown(nothing) : spendUnknown(problem);
}

/** `~$0.12 of $10.00 (1 iteration estimated)`, where a part of the sum is an estimate. */
export function withEstimate(sentence: string, facts: Facts): string {
  const estimated = facts.estimatedIterations ?? 0;
  return estimated === 0 ? sentence : `~${sentence} (${plural(estimated, unitOf(facts))} estimated)`;
}

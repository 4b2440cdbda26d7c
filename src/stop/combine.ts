import type { ConditionOf, StopCondition } from '../model/condition.js';
import { conditionKey } from '../model/condition-key.js';
import { unitOf } from '../model/unit.js';
import type { Hold, StopConditionResult } from '../model/verdict.js';
import type { Facts } from './facts.js';
import { count, plural } from './figures.js';
import { type Inside, met, notMet, unknown } from './result.js';

type Children = readonly StopConditionResult[];

/** Met when all are; not met when one is known not to be, whatever is unknown. */
export function combineAll(condition: ConditionOf<'all'>, children: Children): StopConditionResult {
  if (children.length === 0) return unknown(condition, 'no conditions');
  const missing = children.filter((child) => child.status !== 'met');
  if (missing.length === 0) return met(condition, sentences(children, ' and '), { children });
  const progress = children.reduce((sum, child) => sum + (child.progress ?? 0), 0) / children.length;
  const refuted = missing.filter((child) => child.status === 'not-met');
  if (refuted.length > 0) return notMet(condition, sentences(refuted, ' and '), progress, { children });
  return stillUnknown(condition, missing, progress, { children });
}

/** Met when one is; unknown when none is and one may be. */
export function combineAny(condition: ConditionOf<'any'>, children: Children): StopConditionResult {
  if (children.length === 0) return unknown(condition, 'no conditions');
  const found = children.filter((child) => child.status === 'met');
  if (found.length > 0) return met(condition, sentences(found, ' and '), { children });
  const known = children.map((child) => child.progress).filter((progress) => progress !== undefined);
  const progress = known.length === 0 ? undefined : Math.max(...known);
  const open = children.filter((child) => child.status === 'unknown');
  if (open.length > 0) return stillUnknown(condition, open, progress, { children });
  return notMet(condition, sentences(children, ', '), progress, { children });
}

export function negate(condition: ConditionOf<'not'>, child: StopConditionResult): StopConditionResult {
  const children = [child];
  if (child.status === 'unknown') return stillUnknown(condition, children, undefined, { children });
  // What is said of the inside is true either way.
  const reason = child.reason ?? child.status;
  return child.status === 'met'
    ? notMet(condition, reason, undefined, { children })
    : met(condition, reason, { children });
}

/** How long the inside has held, this iteration included. An iteration is counted once, however often it is judged. */
export function hold(condition: ConditionOf<'for'>, child: StopConditionResult, facts: Facts): StopConditionResult {
  const children = [child];
  if (facts.iteration === undefined) {
    return unknown(condition, `the ${unitOf(facts)} is not known`, undefined, {
      children,
      spendUnknown: child.spendUnknown,
    });
  }
  const streak = holdAfter(condition, child, facts, facts.iteration);
  const inside = { children, hold: streak };
  const sentence = `held ${count(streak.iterations)} of ${plural(condition.iterations, unitOf(facts))}: ${child.reason ?? ''}`;
  const progress = streak.iterations / condition.iterations;
  if (streak.iterations >= condition.iterations) return met(condition, sentence, inside);
  if (child.status === 'unknown') return stillUnknown(condition, children, progress, inside);
  return notMet(condition, sentence, progress, inside);
}

function holdAfter(condition: ConditionOf<'for'>, child: StopConditionResult, facts: Facts, iteration: number): Hold {
  const before = facts.holds?.[conditionKey(condition)];
  if (iteration === 0) return { iterations: 0, upTo: 0 };
  if (before?.upTo === iteration) return before;
  const held = before?.iterations ?? 0;
  if (child.status === 'unknown') return { iterations: held, upTo: iteration };
  return { iterations: child.status === 'met' ? held + 1 : 0, upTo: iteration };
}

/** Remembers whether unknown spend is behind it, so that a limit can fail closed. */
function stillUnknown(
  condition: StopCondition,
  open: Children,
  progress: number | undefined,
  inside: Inside,
): StopConditionResult {
  const problem = open.find((child) => child.spendUnknown !== undefined)?.spendUnknown;
  return unknown(condition, sentences(open, ', '), progress, { ...inside, spendUnknown: problem });
}

function sentences(children: Children, separator: string): string {
  return children.map((child) => child.reason ?? child.status).join(separator);
}

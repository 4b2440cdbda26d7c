import type { ConditionOf } from '../model/condition.js';
import { conditionKey } from '../model/condition-key.js';
import type { Hold, StopConditionResult } from '../model/verdict.js';
import type { Facts } from './facts.js';
import { count, plural } from './figures.js';
import { met, notMet, unknown } from './result.js';

type Children = readonly StopConditionResult[];

/** Met when all are; not met when one is known not to be, whatever is unknown. */
export function combineAll(condition: ConditionOf<'all'>, children: Children): StopConditionResult {
  if (children.length === 0) return unknown(condition, 'no conditions');
  const missing = children.filter((child) => child.status !== 'met');
  if (missing.length === 0) return { ...met(condition, sentences(children, ' and ')), children };
  const progress = children.reduce((sum, child) => sum + (child.progress ?? 0), 0) / children.length;
  const refuted = missing.filter((child) => child.status === 'not-met');
  if (refuted.length > 0) return { ...notMet(condition, sentences(refuted, ' and '), progress), children };
  return { ...stillUnknown(condition, missing), progress, children };
}

/** Met when one is; unknown when none is and one may be. */
export function combineAny(condition: ConditionOf<'any'>, children: Children): StopConditionResult {
  if (children.length === 0) return unknown(condition, 'no conditions');
  const found = children.filter((child) => child.status === 'met');
  if (found.length > 0) return { ...met(condition, sentences(found, ' and ')), children };
  const known = children.map((child) => child.progress).filter((progress) => progress !== undefined);
  const progress = known.length === 0 ? {} : { progress: Math.max(...known) };
  const open = children.filter((child) => child.status === 'unknown');
  if (open.length > 0) return { ...stillUnknown(condition, open), ...progress, children };
  return { ...notMet(condition, sentences(children, ', ')), ...progress, children };
}

export function negate(condition: ConditionOf<'not'>, child: StopConditionResult): StopConditionResult {
  const children = [child];
  const reason = `not: ${child.reason ?? ''}`;
  if (child.status === 'unknown') return { ...stillUnknown(condition, children), children };
  return { ...(child.status === 'met' ? notMet(condition, reason) : met(condition, reason)), children };
}

/** How long the inside has held, this iteration included. An iteration is counted once, however often it is judged. */
export function hold(condition: ConditionOf<'for'>, child: StopConditionResult, facts: Facts): StopConditionResult {
  const children = [child];
  if (facts.iteration === undefined) return { ...unknown(condition, 'the iteration is not known'), children };
  const streak = holdAfter(condition, child, facts, facts.iteration);
  const sentence = `held ${count(streak.iterations)} of ${plural(condition.iterations, 'iteration')}: ${child.reason ?? ''}`;
  const progress = streak.iterations / condition.iterations;
  if (streak.iterations >= condition.iterations) return { ...met(condition, sentence), hold: streak, children };
  if (child.status === 'unknown') return { ...stillUnknown(condition, children), progress, hold: streak, children };
  return { ...notMet(condition, sentence, progress), hold: streak, children };
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
function stillUnknown(condition: StopConditionResult['condition'], open: Children): StopConditionResult {
  const result = unknown(condition, sentences(open, ', '));
  const problem = open.find((child) => child.spendUnknown !== undefined)?.spendUnknown;
  return problem === undefined ? result : { ...result, spendUnknown: problem };
}

function sentences(children: Children, separator: string): string {
  return children.map((child) => child.reason ?? child.status).join(separator);
}

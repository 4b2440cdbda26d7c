import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import { plural, unitOf } from '../model/figures.js';
import type { Facts } from '../model/judging/facts.js';
import type { StopConditionResult } from '../model/verdict.js';
import { describe, measureOf } from '../stop/judge.js';

/** What it would have taken for the condition to be met, to be read after "it takes"; undefined when it is met. */
export function neededFor(result: StopConditionResult, facts: Facts): string | undefined {
  if (result.status === 'met') return undefined;
  const { condition } = result;
  switch (condition.type) {
    case 'all':
      return joined(result, facts, ' and ');
    case 'any':
      return joined(result, facts, ' or ');
    case 'not':
      return describe(condition, unitOf(facts));
    case 'for': {
      const left = condition.iterations - (result.hold?.iterations ?? 0);
      const inside = joined(result, facts, '');
      return `${plural(left, `more ${unitOf(facts)}`)} in a row with it${inside === undefined ? '' : `: ${inside}`}`;
    }
    case 'never':
      return undefined;
    default:
      return neededForLeaf(condition, facts);
  }
}

function joined({ children = [] }: StopConditionResult, facts: Facts, separator: string): string | undefined {
  const parts = children.flatMap((child) => {
    const needed = neededFor(child, facts);
    const isInner = child.condition.type === 'all' || child.condition.type === 'any';
    return needed === undefined ? [] : [isInner ? `(${needed})` : needed];
  });
  return parts.length === 0 ? undefined : parts.join(separator);
}

function neededForLeaf(condition: StopCondition, facts: Facts): string {
  const { takesMore, takes } = CONDITION_CATALOG[condition.type];
  const { value, threshold = 0 } = measureOf(condition, facts) ?? {};
  const more = value === undefined ? undefined : takesMore?.(Math.max(0, threshold - value), condition, facts);
  return more ?? takes?.(condition, facts) ?? 'figures that are not known';
}

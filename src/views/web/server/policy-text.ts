import { stringify } from 'yaml';
import { childrenOf, type StopCondition } from '../../../model/condition.js';
import { CONDITION_CATALOG } from '../../../model/condition-catalog.js';
import { boundsIterations, type Policy } from '../../../model/policy.js';

/** A policy as the `stop` part of a config says it. Read again, it is the same policy. */
export function policyText(policy: Policy): string {
  const { success, failure, limits, conditions, confirm, atLeast, stopOnFirst } = policy;
  const isUnbounded = ![...limits, ...(conditions ?? [])].some(boundsIterations);
  const part = {
    success: success.map(shortOf),
    failure: failure.map(shortOf),
    // A list that does not speak of iterations is given a limit of them.
    limits: [...limits.map(shortOf), ...(isUnbounded ? [{ max_iterations: 0 }] : [])],
    ...(conditions === undefined ? {} : { conditions: conditions.map(shortOf) }),
    ...(confirm === undefined ? {} : { confirm }),
    ...(atLeast === undefined ? {} : { at_least: atLeast }),
    ...(stopOnFirst === undefined ? {} : { stop_on_first: stopOnFirst }),
  };
  return stringify(part, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** `all_tests_pass`, `max_cost: 5`, or the whole where there is more to say. */
function shortOf(condition: StopCondition): unknown {
  const { type, class: stopClass, confirm, ...own } = condition;
  const common = defined({ class: stopClass, confirm });
  const fields = defined(own);
  const { short } = CONDITION_CATALOG[type];
  if (childrenOf(condition).length > 0) return { type, ...nested(fields), ...common };
  const names = Object.keys(fields);
  if (names.length === 0) return Object.keys(common).length === 0 ? type : { type, ...common };
  const [name = ''] = names;
  return names.length === 1 && name === short ? { [type]: fields[name], ...common } : { type, ...fields, ...common };
}

function nested(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const inside = ([name, value]: [string, unknown]) => {
    if (name === 'conditions') return [name, (value as readonly StopCondition[]).map(shortOf)] as const;
    return [name, name === 'condition' ? shortOf(value as StopCondition) : value] as const;
  };
  return Object.fromEntries(Object.entries(fields).map(inside));
}

function defined(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

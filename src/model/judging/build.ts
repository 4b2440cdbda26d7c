import { ConfigError, type Issue } from '../errors.js';
import { deepFreeze } from '../json.js';
import type { AnyCondition, ConditionDefinition, Whole } from './condition-definition.js';
import { readFields } from './read-fields.js';

/** Builds a checked, frozen condition: a mistake is a ConfigError at once, not a limit that never holds. */
export function build<C extends AnyCondition>(definition: ConditionDefinition<C>, fields: object = {}): Whole<C> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const issues: Issue[] = [];
  const condition = readFields(definition, Object.fromEntries(given), {
    path: definition.type,
    issues,
    isOutermost: true,
    readInner: (inner) => inner,
  });
  if (issues.length > 0) throw new ConfigError(issues);
  return deepFreeze(condition) as unknown as Whole<C>;
}

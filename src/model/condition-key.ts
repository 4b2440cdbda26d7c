import type { StopCondition } from './condition.js';
import { canonicalJson } from './json.js';

const keys = new WeakMap<StopCondition, string>();

/**
 * The name under which a fact about a condition is recorded: equal conditions share it, whatever their class. Kept per
 * object, because conditions are frozen and the decision asks for it at every live event.
 */
export function conditionKey(condition: StopCondition): string {
  const known = keys.get(condition);
  if (known !== undefined) return known;
  const { class: _class, confirm: _confirm, ...shape } = condition;
  const key = canonicalJson(shape);
  keys.set(condition, key);
  return key;
}

import { canonicalJson } from './json.js';

const keys = new WeakMap<object, string>();

/**
 * The name under which a fact about a condition is recorded: equal conditions share it, whatever their class. Kept per
 * object, because conditions are frozen and the decision asks for it at every live event.
 */
export function conditionKey(condition: object): string {
  const known = keys.get(condition);
  if (known !== undefined) return known;
  const { class: _class, confirm: _confirm, ...shape } = condition as Readonly<Record<string, unknown>>;
  const key = canonicalJson(shape);
  keys.set(condition, key);
  return key;
}

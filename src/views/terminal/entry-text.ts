import type { Policy, PolicyEntry } from '../../model/policy.js';
import type { Unit } from '../../model/unit.js';
import { describe } from '../../stop/describe.js';

/** A condition of a policy in words; a goal with how often it is checked, and from when on it counts. */
export function entryText(
  { condition, class: stopClass }: PolicyEntry,
  { confirm, atLeast = 0 }: Policy,
  unit: Unit = 'iteration',
): string {
  if (stopClass !== 'goal') return describe(condition, unit);
  const times = condition.confirm ?? confirm ?? 1;
  const confirmed = times > 1 ? `, checked ${times} times` : '';
  const early = atLeast > 0 ? `, not before ${unit} ${atLeast}` : '';
  return `${describe(condition, unit)}${confirmed}${early}`;
}

import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import { isNoLimit } from '../model/policy.js';
import type { Unit } from '../model/unit.js';

/** When the condition stops a run, to be read after "stops": "after 30 iterations", "when all tests pass". */
export function describe(condition: StopCondition, unit: Unit = 'iteration'): string {
  if (isNoLimit(condition)) return `no ${condition.type}`;
  const describeInner = (inner: object) => describe(inner as StopCondition, unit);
  return CONDITION_CATALOG[condition.type].describe(condition, unit, describeInner);
}

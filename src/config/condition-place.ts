import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { Issue } from '../model/errors.js';
import type { PolicyList } from '../model/policy.js';

const MEANING = { success: 'a goal', failure: 'a failure', limits: 'a limit' } as const;
const OWN_CLASS = { success: 'goal', failure: 'failure', limits: undefined } as const;

/** What is wrong with a well-formed condition because of where it stands: in a loop, in a file, in that list. */
export function conditionIssues(
  condition: StopCondition,
  list: PolicyList,
  path: string,
  fromCode: boolean,
): readonly Issue[] {
  const issues: Issue[] = [];
  if (list !== 'conditions' && condition.class !== undefined && condition.class !== OWN_CLASS[list]) {
    const message = `class counts only under stop.conditions; everything in this list is ${MEANING[list]}`;
    issues.push({ path: `${path}.class`, message });
  }
  visitConditions(condition, path, (inner, at) => {
    if (CONDITION_CATALOG[inner.type].where === 'pipeline') {
      issues.push({ path: at, message: `${inner.type} counts the items of a pipeline; it does not apply to a loop` });
    }
    if (inner.type === 'function' && !fromCode) {
      issues.push({ path: at, message: 'a function can only be given in code; a custom_script can stand here' });
    }
  });
  return issues;
}

/** Calls back for a condition and all those inside it, each with its path as `readCondition` writes it. */
export function visitConditions(
  condition: StopCondition,
  path: string,
  visit: (condition: StopCondition, path: string) => void,
): void {
  visit(condition, path);
  if (condition.type === 'all' || condition.type === 'any') {
    for (const [index, inner] of condition.conditions.entries()) {
      visitConditions(inner, `${path}.conditions[${index}]`, visit);
    }
  }
  if (condition.type === 'not' || condition.type === 'for') {
    visitConditions(condition.condition, `${path}.condition`, visit);
  }
}

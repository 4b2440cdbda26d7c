import { childrenOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { Issue } from '../model/errors.js';
import type { PolicyList } from '../model/policy.js';

const MEANING = { success: 'a goal', failure: 'a failure', limits: 'a limit' } as const;
const OWN_CLASS = { success: 'goal', failure: 'failure', limits: undefined } as const;

/** What a condition is for. */
export type ConditionPlace = 'loop' | 'pipeline';

export interface ConditionReader {
  readonly fromCode: boolean;
  readonly where?: ConditionPlace | undefined;
  /** What a record holds was in its place when it was made. */
  readonly isRecorded?: boolean | undefined;
}

/** What is wrong with a well-formed condition because of where it stands: in a loop, in a file, in that list. */
export function conditionIssues(
  condition: StopCondition,
  list: PolicyList,
  path: string,
  { fromCode, where = 'loop', isRecorded = false }: ConditionReader,
): readonly Issue[] {
  const issues: Issue[] = [];
  if (list !== 'conditions' && condition.class !== undefined && condition.class !== OWN_CLASS[list]) {
    const message = `class counts only under stop.conditions; everything in this list is ${MEANING[list]}`;
    issues.push({ path: `${path}.class`, message });
  }
  visitConditions(condition, path, (inner, at) => {
    const { where: own, onlyInCode } = CONDITION_CATALOG[inner.type];
    const isHere = own === 'both' || own === where || (own === 'batch' && isRecorded);
    if (!isHere) issues.push({ path: at, message: wrongPlace(inner.type, own) });
    if (onlyInCode === true && !fromCode) {
      issues.push({ path: at, message: 'a function can only be defined in code; use custom_script here' });
    }
  });
  return issues;
}

function wrongPlace(type: StopCondition['type'], own: ConditionPlace | 'batch'): string {
  if (own === 'batch') return `${type} is given to the runs of a batch: pawl submit --batch NAME --batch-cost USD`;
  return own === 'pipeline'
    ? `${type} counts the items of a pipeline; it does not apply to a loop`
    : `${type} judges the iterations of a loop; it does not apply to a pipeline`;
}

/** Calls back for a condition and all those inside it, each with its path as `readCondition` writes it. */
export function visitConditions(
  condition: StopCondition,
  path: string,
  visit: (condition: StopCondition, path: string) => void,
): void {
  visit(condition, path);
  for (const [index, inner] of childrenOf(condition).entries()) {
    visitConditions(inner, 'condition' in condition ? `${path}.condition` : `${path}.conditions[${index}]`, visit);
  }
}

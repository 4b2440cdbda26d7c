import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { Issue } from '../model/errors.js';
import type { PolicyEntry } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';

/** Whether there is a goal and a limit, whether the goals are verified, whether each condition stands where it means what it says. */
export function reviewClasses(spec: RunSpec, entries: readonly PolicyEntry[]): readonly Issue[] {
  const warnings = entries.flatMap((entry) => reviewEntry(spec, entry));
  if (!entries.some((entry) => entry.class === 'goal')) {
    const message =
      'no goal: the run can only end by a failure, a limit or by hand; set `tests`, or add a condition here';
    warnings.push({ path: 'stop.success', message });
  }
  if (!entries.some((entry) => entry.class === 'limit')) {
    const message = 'no limit: nothing bounds what the run uses up; add max_iterations, max_cost or max_duration';
    warnings.push({ path: 'stop.limits', message });
  }
  return warnings;
}

function reviewEntry(spec: RunSpec, { path, class: stopClass, condition }: PolicyEntry): Issue[] {
  const { class: own, neutral, goalOnly } = CONDITION_CATALOG[condition.type];
  if (stopClass === 'goal' && neutral !== true && own !== 'goal') {
    return [
      {
        path,
        message: `${condition.type} as a goal ends the run as a success that nobody verified; move it to ${own === 'limit' ? 'limits' : 'failure'}`,
      },
    ];
  }
  if (stopClass === 'goal' && isBelieved(condition, spec)) return [{ path, message: believedMessage(condition) }];
  if (stopClass !== 'goal' && goalOnly === true) {
    return [
      {
        path,
        message: `${condition.type} here ends the run as ${stopClass === 'limit' ? 'used up' : 'failed'}; move it to success`,
      },
    ];
  }
  if (stopClass !== 'goal' && condition.confirm !== undefined) {
    return [{ path: `${path}.confirm`, message: 'confirm has no effect here; only goals are confirmed' }];
  }
  return [];
}

/** The agent's word alone can meet it. */
function isBelieved(condition: StopCondition, spec: RunSpec, isNegated = false): boolean {
  const isInnerBelieved = (inner: StopCondition) => isBelieved(inner, spec, isNegated);
  switch (condition.type) {
    // One that does not hold is enough for the opposite of `all`.
    case 'all':
      return isNegated ? condition.conditions.some(isInnerBelieved) : condition.conditions.every(isInnerBelieved);
    case 'any':
      return isNegated ? condition.conditions.every(isInnerBelieved) : condition.conditions.some(isInnerBelieved);
    case 'for':
      return isInnerBelieved(condition.condition);
    case 'not':
      return isBelieved(condition.condition, spec, !isNegated);
    default: {
      const { evidence } = CONDITION_CATALOG[condition.type];
      return evidence === 'agent' || (evidence === 'tests' && spec.tests === undefined && spec.parseTests);
    }
  }
}

function believedMessage({ type }: StopCondition): string {
  const { evidence } = CONDITION_CATALOG[type];
  if (evidence === 'agent') {
    return 'this goal is only believed: the agent says so itself; put it into `all` with all_tests_pass or check_passes';
  }
  if (type === 'not') {
    return 'this goal is only believed: that the agent has not said something proves nothing; put it into `all` with all_tests_pass or check_passes';
  }
  if (evidence === 'tests') {
    return 'this goal is only believed: test results are read from what the agent prints; set `tests` to have them run';
  }
  return 'this goal is only believed: what the agent says can meet it; add all_tests_pass with `tests`, or check_passes';
}

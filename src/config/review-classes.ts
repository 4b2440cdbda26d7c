import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { Issue } from '../model/errors.js';
import type { PolicyEntry } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';

/** What is good news in itself. */
const GOALS_ONLY: readonly StopCondition['type'][] = [
  'all_tests_pass',
  'specific_tests_pass',
  'check_passes',
  'agent_reports_done',
];

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
  const own = CONDITION_CATALOG[condition.type].class;
  const isLeaf = !['all', 'any', 'not', 'for', 'function', 'never'].includes(condition.type);
  if (stopClass === 'goal' && isLeaf && own !== 'goal') {
    return [
      {
        path,
        message: `${condition.type} as a goal ends the run as a success that nobody verified; move it to ${own === 'limit' ? 'limits' : 'failure'}`,
      },
    ];
  }
  if (stopClass === 'goal' && isBelieved(condition, spec)) return [{ path, message: believedMessage(condition) }];
  if (stopClass !== 'goal' && GOALS_ONLY.includes(condition.type)) {
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
    case 'output_pattern':
    case 'agent_reports_done':
    case 'agent_reports_blocked':
      return true;
    case 'all_tests_pass':
    case 'specific_tests_pass':
      return spec.tests === undefined && spec.parseTests;
    // One that does not hold is enough for the opposite of `all`.
    case 'all':
      return isNegated ? condition.conditions.some(isInnerBelieved) : condition.conditions.every(isInnerBelieved);
    case 'any':
      return isNegated ? condition.conditions.every(isInnerBelieved) : condition.conditions.some(isInnerBelieved);
    case 'for':
      return isInnerBelieved(condition.condition);
    case 'not':
      return isBelieved(condition.condition, spec, !isNegated);
    default:
      return false;
  }
}

function believedMessage({ type }: StopCondition): string {
  if (type === 'output_pattern' || type === 'agent_reports_done') {
    return 'this goal is only believed: the agent says so itself; put it into `all` with all_tests_pass or check_passes';
  }
  if (type === 'not') {
    return 'this goal is only believed: that the agent has not said something proves nothing; put it into `all` with all_tests_pass or check_passes';
  }
  if (type === 'all_tests_pass' || type === 'specific_tests_pass') {
    return 'this goal is only believed: test results are read from what the agent prints; set `tests` to have them run';
  }
  return 'this goal is only believed: what the agent says can meet it; add all_tests_pass with `tests`, or check_passes';
}

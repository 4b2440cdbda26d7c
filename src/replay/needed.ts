import type { StopCondition } from '../model/condition.js';
import { formatDuration } from '../model/duration.js';
import { unitOf } from '../model/unit.js';
import type { StopConditionResult } from '../model/verdict.js';
import { describe } from '../stop/describe.js';
import type { Facts } from '../stop/facts.js';
import { count, list, percent, plural, quote, usdLeft } from '../stop/figures.js';
import { measureOf } from './measure.js';

/** What it would have taken for the condition to be met, to be read after "it takes"; undefined when it is met. */
export function neededFor(result: StopConditionResult, facts: Facts): string | undefined {
  if (result.status === 'met') return undefined;
  const { condition } = result;
  switch (condition.type) {
    case 'all':
      return joined(result, facts, ' and ');
    case 'any':
      return joined(result, facts, ' or ');
    case 'not':
      return describe(condition, unitOf(facts));
    case 'for': {
      const left = condition.iterations - (result.hold?.iterations ?? 0);
      const inside = joined(result, facts, '');
      return `${plural(left, `more ${unitOf(facts)}`)} in a row with it${inside === undefined ? '' : `: ${inside}`}`;
    }
    case 'never':
      return undefined;
    default:
      return neededForLeaf(condition, facts);
  }
}

function joined({ children = [] }: StopConditionResult, facts: Facts, separator: string): string | undefined {
  const parts = children.flatMap((child) => {
    const needed = neededFor(child, facts);
    const isInner = child.condition.type === 'all' || child.condition.type === 'any';
    return needed === undefined ? [] : [isInner ? `(${needed})` : needed];
  });
  return parts.length === 0 ? undefined : parts.join(separator);
}

function neededForLeaf(condition: StopCondition, facts: Facts): string {
  const measure = measureOf(condition, facts);
  const { value, threshold = 0 } = measure ?? {};
  const left = value === undefined ? undefined : Math.max(0, threshold - value);
  return (left === undefined ? undefined : neededFigure(condition, left, facts)) ?? neededFact(condition);
}

/** The tests that fail, and those that ran before and do not run now. */
function neededTests(left: number, { tests }: Facts): string {
  const failing = tests?.failed ?? left;
  const gone = left - failing;
  const parts = [
    ...(failing > 0 ? [`${plural(failing, 'more test')} to pass`] : []),
    ...(gone > 0 ? [`${plural(gone, 'test')} to run again that ran before`] : []),
  ];
  return parts.join(' and ');
}

function neededFigure(condition: StopCondition, left: number, facts: Facts): string | undefined {
  switch (condition.type) {
    case 'max_iterations':
      return plural(left, `more ${unitOf(facts)}`);
    case 'max_duration':
      return `${formatDuration(left)} more of active time`;
    case 'max_tokens':
    case 'max_input_tokens':
    case 'max_output_tokens':
      return plural(left, 'more token');
    case 'max_cost':
    case 'max_cost_per_day':
    case 'max_cost_of_batch':
      return `${usdLeft(left)} more`;
    case 'test_failure_streak':
      return `${plural(left, `more ${unitOf(facts)}`)} with failing tests`;
    case 'no_progress':
      return `${plural(left, `more ${unitOf(facts)}`)} without progress`;
    case 'consecutive_failures':
      return plural(left, `more failed ${unitOf(facts)}`);
    case 'oscillation':
      return `${plural(left, 'more return')} to an earlier state`;
    case 'repeated_error':
      return `the same error ${plural(left, 'more time')}`;
    case 'permission_denied':
      return plural(left, 'more denial');
    case 'consecutive_fails':
      return plural(left, 'more failed item');
    case 'circuit_breaker':
      return plural(left, 'more attempt');
    case 'all_tests_pass':
      return left === 0 ? undefined : neededTests(left, facts);
    default:
      return undefined;
  }
}

function neededFact(condition: StopCondition): string {
  switch (condition.type) {
    case 'all_tests_pass':
      return 'all tests to pass';
    case 'specific_tests_pass':
      return `these tests to pass: ${list(condition.tests)}`;
    case 'file_created':
      return `${condition.path} to exist`;
    case 'file_contains':
      return `${condition.path} to hold ${quote(condition.content, 40)}`;
    case 'output_pattern':
      return `the agent to say ${condition.is_regex === true ? `/${condition.pattern}/` : quote(condition.pattern)}`;
    case 'agent_reports_done':
      return 'the agent to report that it is done';
    case 'agent_reports_blocked':
      return 'the agent to report that it is blocked';
    case 'on_error':
      return condition.pattern === undefined ? 'an error' : `an error with ${quote(condition.pattern, 40)}`;
    case 'custom_script':
      return `${condition.script} to exit 0`;
    case 'function':
      return `${condition.name}() to say so`;
    case 'check_passes':
      return `the check ${condition.name} to pass`;
    case 'protected_path_changed':
      return `a change of ${list(condition.paths)}`;
    case 'diff_exceeds':
      return `a larger change in one iteration (more than ${sizes(condition)})`;
    case 'context_above':
      return `more than ${condition.percent}% of the context used`;
    case 'retry_rate':
    case 'reject_rate':
      return `a rate above ${percent(condition.max)}`;
    case 'user_signal':
      return 'an operator to ask';
    case 'deadline':
      return `the clock to reach ${condition.at}`;
    default:
      return 'figures that are not known';
  }
}

function sizes({ files, lines }: Extract<StopCondition, { readonly type: 'diff_exceeds' }>): string {
  return [
    ...(files === undefined ? [] : [plural(files, 'file')]),
    ...(lines === undefined ? [] : [`${count(lines)} ${lines === 1 ? 'line' : 'lines'}`]),
  ].join(' or ');
}

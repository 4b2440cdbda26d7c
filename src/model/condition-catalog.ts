import type { ConditionType, StopCondition } from './condition.js';
import type { StopClass } from './stop-class.js';

/** What a field of a condition holds; `field-rules.ts` has the rule of each kind. */
export type FieldKind =
  | 'count'
  | 'usd'
  | 'duration'
  | 'time'
  | 'percent'
  | 'rate'
  | 'text'
  | 'path'
  | 'texts'
  | 'arguments'
  | 'flag'
  | 'allow'
  | 'condition'
  | 'conditions';

export interface FieldInfo {
  readonly kind: FieldKind;
  readonly optional?: true;
}

export interface ConditionInfo {
  readonly fields: Readonly<Record<string, FieldInfo>>;
  /** The field that takes the value of the shorthand `- max_iterations: 3`. */
  readonly short?: string;
  /** The class it takes when it is given none. */
  readonly class: StopClass;
  /** Within one class the higher comes first (spec 104; the last four in Story 4.4's order). */
  readonly priority: number;
  /** Can become true in the middle of an iteration, from live events alone. */
  readonly live?: true;
  /** Needs a look at the disk or a program, made in the iteration and recorded. */
  readonly probe?: true;
  /** A budget: unknown spend blocks the run. */
  readonly spend?: true;
  /** `fleet`: no config has it; the runs of a batch are given it. */
  readonly where: 'loop' | 'pipeline' | 'both' | 'fleet';
  /** One line for the schema and the guide. */
  readonly about: string;
}

const need = (kind: FieldKind): FieldInfo => ({ kind });
const may = (kind: FieldKind): FieldInfo => ({ kind, optional: true });

/** The one table of what conditions there are. Factories, config, schema and evaluation read it. */
export const CONDITION_CATALOG: Readonly<Record<ConditionType, ConditionInfo>> = {
  max_iterations: {
    fields: { count: need('count') },
    short: 'count',
    class: 'limit',
    priority: 80,
    where: 'both',
    about: 'this many iterations (in a pipeline: attempts) have ended',
  },
  max_duration: {
    fields: { duration: need('duration') },
    short: 'duration',
    class: 'limit',
    priority: 80,
    live: true,
    where: 'both',
    about: 'the run has been active for this long; pauses, waits and downtime do not count',
  },
  deadline: {
    fields: { at: need('time') },
    short: 'at',
    class: 'limit',
    priority: 80,
    live: true,
    where: 'both',
    about: 'the clock has reached this time',
  },
  max_tokens: {
    fields: { count: need('count') },
    short: 'count',
    class: 'limit',
    priority: 80,
    live: true,
    spend: true,
    where: 'both',
    about: 'input and output tokens together have reached this count',
  },
  max_input_tokens: {
    fields: { count: need('count') },
    short: 'count',
    class: 'limit',
    priority: 80,
    live: true,
    spend: true,
    where: 'both',
    about: 'input tokens, cached ones included, have reached this count',
  },
  max_output_tokens: {
    fields: { count: need('count') },
    short: 'count',
    class: 'limit',
    priority: 80,
    live: true,
    spend: true,
    where: 'both',
    about: 'output tokens, reasoning included, have reached this count',
  },
  max_cost: {
    fields: { usd: need('usd'), model: may('text') },
    short: 'usd',
    class: 'limit',
    priority: 80,
    live: true,
    spend: true,
    where: 'both',
    about: 'this many US dollars have been spent; `model` prices usage that names no model',
  },
  max_cost_per_day: {
    fields: { usd: need('usd') },
    short: 'usd',
    class: 'limit',
    priority: 80,
    live: true,
    spend: true,
    where: 'both',
    about: 'all runs of the user on this machine together have spent this many US dollars today',
  },
  max_cost_of_batch: {
    fields: { usd: need('usd') },
    short: 'usd',
    class: 'limit',
    priority: 80,
    live: true,
    spend: true,
    where: 'fleet',
    about: 'all runs of the batch together have spent this many US dollars',
  },
  test_failure_streak: {
    fields: { count: need('count'), strict: may('flag') },
    short: 'count',
    class: 'failure',
    priority: 70,
    where: 'loop',
    about:
      'this many iterations in a row with failing tests, and no new low of failures; `strict` counts every red one',
  },
  all_tests_pass: {
    fields: { fewer_tests: may('allow') },
    class: 'goal',
    priority: 60,
    where: 'loop',
    about: 'tests ran, none failed, and no fewer ran than before the first iteration',
  },
  specific_tests_pass: {
    fields: { tests: need('texts') },
    short: 'tests',
    class: 'goal',
    priority: 60,
    where: 'loop',
    about: 'each of the named tests passed',
  },
  no_progress: {
    fields: { iterations: need('count') },
    short: 'iterations',
    class: 'failure',
    priority: 70,
    where: 'loop',
    about: 'this many iterations in a row changed no file content and improved no test',
  },
  oscillation: {
    fields: { count: need('count') },
    short: 'count',
    class: 'failure',
    priority: 70,
    where: 'loop',
    about: 'the working tree returned to an earlier state this many times',
  },
  consecutive_failures: {
    fields: { count: need('count') },
    short: 'count',
    class: 'failure',
    priority: 70,
    where: 'both',
    about: 'this many iterations in a row failed or timed out',
  },
  repeated_error: {
    fields: { count: need('count') },
    short: 'count',
    class: 'failure',
    priority: 70,
    live: true,
    where: 'both',
    about: 'the same error this many times in a row',
  },
  file_created: {
    fields: { path: need('path') },
    short: 'path',
    class: 'goal',
    priority: 40,
    probe: true,
    where: 'loop',
    about: 'the file exists',
  },
  file_contains: {
    fields: { path: need('path'), content: need('text') },
    class: 'goal',
    priority: 40,
    probe: true,
    where: 'loop',
    about: 'the file holds the text',
  },
  output_pattern: {
    fields: { pattern: need('text'), is_regex: may('flag') },
    short: 'pattern',
    class: 'goal',
    priority: 50,
    live: true,
    where: 'both',
    about: 'the agent said it; tool results and an echo of the prompt do not count',
  },
  agent_reports_done: {
    fields: {},
    class: 'goal',
    priority: 50,
    where: 'loop',
    about: 'the agent reported, by its tool report_done, that it is done; believed, not verified',
  },
  agent_reports_blocked: {
    fields: {},
    class: 'failure',
    priority: 50,
    live: true,
    where: 'loop',
    about: 'the agent reported, by its tool report_blocked, that it cannot go on',
  },
  on_error: {
    fields: { pattern: may('text') },
    short: 'pattern',
    class: 'failure',
    priority: 100,
    live: true,
    where: 'both',
    about: 'an error occurred, and its message holds the pattern',
  },
  custom_script: {
    fields: { script: need('path'), args: may('arguments'), timeout: may('duration') },
    short: 'script',
    class: 'goal',
    priority: 30,
    probe: true,
    where: 'loop',
    about: 'the script exits 0; its first line of output is the reason',
  },
  check_passes: {
    fields: { name: need('text') },
    short: 'name',
    class: 'goal',
    priority: 60,
    where: 'loop',
    about: 'the check of that name passed',
  },
  protected_path_changed: {
    fields: { paths: need('texts') },
    short: 'paths',
    class: 'veto',
    priority: 40,
    where: 'loop',
    about: 'the agent changed a file that one of the globs names',
  },
  diff_exceeds: {
    fields: { files: may('count'), lines: may('count') },
    class: 'veto',
    priority: 40,
    where: 'loop',
    about: 'one iteration changed more files or lines than this',
  },
  permission_denied: {
    fields: { count: need('count') },
    short: 'count',
    class: 'blocked',
    priority: 70,
    live: true,
    where: 'both',
    about: 'this many denials without an allowed tool call between them',
  },
  context_above: {
    fields: { percent: need('percent') },
    short: 'percent',
    class: 'limit',
    priority: 80,
    live: true,
    where: 'both',
    about: 'the context window is fuller than this percentage',
  },
  user_signal: {
    fields: {},
    class: 'operator',
    priority: 90,
    live: true,
    where: 'both',
    about: 'an operator asked the run to stop',
  },
  retry_rate: {
    fields: { max: need('rate'), min_items: may('count') },
    short: 'max',
    class: 'failure',
    priority: 72,
    where: 'pipeline',
    about: 'more than this part of the finished items needed more than one attempt',
  },
  reject_rate: {
    fields: { max: need('rate'), min_items: may('count') },
    short: 'max',
    class: 'failure',
    priority: 74,
    where: 'pipeline',
    about: 'more than this part of the finished items were rejected or failed',
  },
  consecutive_fails: {
    fields: { count: need('count') },
    short: 'count',
    class: 'failure',
    priority: 76,
    where: 'pipeline',
    about: 'this many items in a row were rejected or failed',
  },
  circuit_breaker: {
    fields: { attempts: need('count') },
    short: 'attempts',
    class: 'failure',
    priority: 78,
    where: 'pipeline',
    about: 'this many attempts were made in all',
  },
  function: {
    fields: { name: need('text') },
    class: 'limit',
    priority: 30,
    probe: true,
    where: 'both',
    about: 'the function of that name, given in code, said so',
  },
  all: {
    fields: { conditions: need('conditions') },
    short: 'conditions',
    class: 'limit',
    priority: 20,
    where: 'both',
    about: 'every one of the conditions is met',
  },
  any: {
    fields: { conditions: need('conditions') },
    short: 'conditions',
    class: 'limit',
    priority: 20,
    where: 'both',
    about: 'at least one of the conditions is met',
  },
  not: {
    fields: { condition: need('condition') },
    short: 'condition',
    class: 'limit',
    priority: 10,
    where: 'both',
    about: 'the condition is known not to be met',
  },
  for: {
    fields: { iterations: need('count'), condition: need('condition') },
    class: 'limit',
    priority: 20,
    where: 'both',
    about: 'the condition held this many iterations in a row',
  },
  never: { fields: {}, class: 'limit', priority: 0, where: 'both', about: 'never' },
};

export const CONDITION_TYPES = Object.keys(CONDITION_CATALOG) as readonly ConditionType[];

export function isConditionType(text: string): text is ConditionType {
  return Object.hasOwn(CONDITION_CATALOG, text);
}

/** Spec 104's number: within one class the higher is named first. */
export function priority(condition: StopCondition): number {
  return CONDITION_CATALOG[condition.type].priority;
}

import type { ConditionType, StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG, classOf, limitOf } from '../model/condition-catalog.js';
import { parseCondition } from '../model/parse-condition.js';

/** A condition that is tried: one type with one threshold. */
export interface Leaf {
  readonly type: ConditionType;
  readonly condition: StopCondition;
  /** It counts iterations, which are model calls in a run that was imported. */
  readonly countsIterations: boolean;
  readonly isLimit: boolean;
  /** Met by the passing of time alone. */
  readonly isTimed: boolean;
}

/** Round figures, so that nothing of the runs is in them, and a person can remember what is recommended. */
const GRID: Readonly<Record<string, readonly (number | string)[]>> = {
  max_cost: [
    0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10, 15, 20, 30, 50,
  ],
  max_tokens: [1, 2, 3, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 200, 500].map((tenths) => tenths * 100_000),
  max_output_tokens: [2, 5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300].map((thousands) => thousands * 1000),
  max_duration: ['2m', '5m', '10m', '15m', '20m', '30m', '45m', '1h', '90m', '2h', '3h', '4h', '6h', '8h'],
  context_above: [20, 30, 40, 50, 60, 70, 80, 90],
  repeated_error: [2, 3, 4, 5, 8],
  permission_denied: [2, 3, 5],
  max_iterations: [3, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 125, 150, 200],
  consecutive_failures: [2, 3, 4, 5, 6, 8, 10],
  same_tool_failure: [2, 3, 4, 5, 8],
  test_failure_streak: [2, 3, 4, 5, 6, 8, 10],
  no_progress: [2, 3, 4, 5, 8],
  false_done: [2, 3, 4],
  oscillation: [2, 3, 4],
};

const IN_ITERATIONS: ReadonlySet<string> = new Set([
  'max_iterations',
  'consecutive_failures',
  'same_tool_failure',
  'test_failure_streak',
  'no_progress',
  'false_done',
  'oscillation',
]);

/** By type, each with its thresholds from the lowest: where one is not met, no higher one is. */
export const LEAVES: readonly Leaf[] = Object.entries(GRID).flatMap(([type, values]) =>
  values.map((value) => {
    const condition = parseCondition({ [type]: value });
    return {
      type: condition.type,
      condition,
      countsIterations: IN_ITERATIONS.has(type),
      isLimit: classOf(condition) === 'limit',
      isTimed: limitOf(condition)?.quantity === 'activeMs',
    };
  }),
);

/** As a person writes it, in YAML: `max_cost: 1.25`. */
export function leafText({ type, condition }: Leaf): string {
  const { short = '' } = CONDITION_CATALOG[type];
  return `${type}: ${String((condition as unknown as Readonly<Record<string, unknown>>)[short])}`;
}

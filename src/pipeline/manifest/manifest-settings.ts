import type { StopCondition } from '../../model/condition.js';
import { isRecord } from '../../model/show-value.js';
import { withVariables } from './command-variables.js';
import type { PipelinePlan } from '../pipeline-plan.js';
import { usualBreaker } from '../stop-conditions.js';

/** What a manifest sets, as far as it changes what is made or when the run halts: one value for each key path. */
export function manifestSettings(
  { agent, workingDir, policy, review }: PipelinePlan['spec'],
  { generate, audit, retry }: PipelinePlan['pipeline'],
  items: number,
): ReadonlyMap<string, unknown> {
  const { command, prompt, promptPath, output } = generate;
  const settings: readonly (readonly [string, unknown])[] = [
    ['working_dir', workingDir],
    ['generate.command', comparable(command)],
    ['generate.prompt', prompt],
    ['generate.prompt_path', promptPath],
    ['generate.output', output],
    ['generate.agent', { ...agent, command: command === undefined ? agent.command : undefined }],
    ['audit.command', comparable(audit?.command)],
    ['review', review && { ...review.agent, goal: review.goal, max_cost: review.maxCostUsd }],
    ['retry.max_attempts', retry.maxAttempts],
    ...policy.failure.flatMap((condition) => thresholds(condition, items)),
    ...policy.limits.map((limit, index) => [limitKey(limit, index, policy.limits), limitValue(limit)] as const),
  ];
  return new Map(settings.flatMap(([key, value]) => leaves(key, value)).filter(([, value]) => value !== undefined));
}

/** A command that an earlier version recorded is equal to what `pawl check --fix` makes of it. */
function comparable(command: string | undefined): string | undefined {
  return command === undefined ? undefined : (withVariables(command) ?? command);
}

function thresholds(condition: StopCondition, items: number): readonly (readonly [string, unknown])[] {
  const key = 'retry.stop_conditions';
  switch (condition.type) {
    case 'circuit_breaker':
      // The breaker that no one wrote follows the items.
      return condition.attempts === usualBreaker(items) ? [] : [['retry.circuit_breaker', condition.attempts]];
    case 'consecutive_fails':
      return [[`${key}.max_consecutive_fails`, condition.count]];
    case 'reject_rate':
      return [
        [`${key}.max_reject_rate`, condition.max],
        [`${key}.min_items`, condition.min_items],
      ];
    case 'retry_rate':
      return [[`${key}.max_retry_rate`, condition.max]];
    default:
      return [[`${key}.${condition.type}`, condition]];
  }
}

/** Limits have no names: one of a type is known by it, several by their place in the list. */
function limitKey({ type }: StopCondition, index: number, limits: readonly StopCondition[]): string {
  return limits.filter((other) => other.type === type).length === 1 ? `limits.${type}` : `limits[${index}].${type}`;
}

function limitValue({ type: _inKey, ...fields }: StopCondition): unknown {
  const values = Object.values(fields) as readonly unknown[];
  return values.length === 1 ? values[0] : fields;
}

function leaves(key: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (!isRecord(value)) return [[key, value]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(`${key}.${name}`, inner));
}

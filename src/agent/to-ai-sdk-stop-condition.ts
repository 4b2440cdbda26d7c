import type { StepResult, StopCondition as AiSdkStopCondition, ToolSet } from 'ai';
import type { StopCondition } from '../model/condition.js';
import { ConfigError } from '../model/errors.js';
import { parseCondition } from '../model/parse-condition.js';
import { addSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import { calculateCost } from '../pricing/calculate-cost.js';
import { evaluateStopConditions } from '../standalone/evaluate.js';
import { type DirectoryFreeCondition, directoryIssues } from './directory-conditions.js';
import { spendOf } from './model-usage.js';

/**
 * Conditions of Pawl's as a `stopWhen` of generateText, streamText or ToolLoopAgent: any of them ends the loop. An
 * iteration is a step; usage and cost are summed over all steps, each at the price of its own model. A budget whose spend
 * is not known ends the loop, as it does everywhere. Throws ConfigError for what a loop of the SDK cannot tell.
 *
 * @example
 * ```ts
 * import { generateText } from 'ai';
 * import { maxCost, maxIterations } from 'pawl';
 * import { toAiSdkStopCondition } from 'pawl/agent';
 *
 * await generateText({ model, tools, prompt, stopWhen: toAiSdkStopCondition([maxIterations(20), maxCost(0.5)]) });
 * ```
 */
export function toAiSdkStopCondition(
  condition: DirectoryFreeCondition | readonly DirectoryFreeCondition[],
): AiSdkStopCondition<AnyTools> {
  const conditions: readonly StopCondition[] = (isList(condition) ? condition : [condition]).map((one, index) =>
    parseCondition(one, `conditions[${index}]`),
  );
  const issues = directoryIssues(conditions.map((one, index) => [`conditions[${index}]`, one]));
  if (issues.length > 0) throw new ConfigError(issues);
  return ({ steps }) => evaluateStopConditions(conditions, contextOf(steps)) !== null;
}

// oxlint-disable-next-line no-explicit-any -- as the conditions of the SDK itself: it stops a loop with any tools
type AnyTools = any;

function contextOf(steps: readonly StepResult<ToolSet>[]): Parameters<typeof evaluateStopConditions>[1] {
  const priced = steps.map(pricedStep);
  const { costUsd, ...usage } = priced.reduce<Spend>((sum, { spend }) => addSpend(sum, spend), NOTHING_SPENT);
  const unpriced = priced.find(({ spend }) => spend.costUsd === undefined);
  return {
    iteration: steps.length,
    startTime: steps[0]?.response.timestamp,
    currentTime: new Date(),
    recentOutput: steps.map(({ text }) => text).join('\n'),
    usage,
    costUsd,
    // A sum that lacks a price must not be priced by a model that has one.
    model: unpriced === undefined ? steps.at(-1)?.response.modelId : unpriced.model,
  };
}

function pricedStep({ usage, response }: StepResult<ToolSet>): { readonly model: string; readonly spend: Spend } {
  const spend = spendOf(usage);
  const { modelId: model } = response;
  return { model, spend: { ...spend, costUsd: calculateCost(spend, model) } };
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

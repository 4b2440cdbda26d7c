import type { StepResult, StopCondition as AiSdkStopCondition, ToolSet } from 'ai';
import { childrenOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES } from '../model/condition-catalog.js';
import { ConfigError, type Issue } from '../model/errors.js';
import { parseCondition } from '../model/parse-condition.js';
import { addSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import { calculateCost } from '../pricing/calculate-cost.js';
import { evaluateStopConditions } from '../standalone/evaluate.js';
import type { DirectoryFreeCondition } from './directory-conditions.js';
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
  const issues = conditions.flatMap((one, index) => issuesOf(one, `conditions[${index}]`));
  if (conditions.length === 0) issues.push({ path: 'conditions', message: `none would ever stop: ${USABLE_WORDS}` });
  if (issues.length > 0) throw new ConfigError(issues);
  return ({ steps }) => evaluateStopConditions(conditions, contextOf(steps)) !== null;
}

const USABLE = CONDITION_TYPES.filter((type) => CONDITION_CATALOG[type].inAiSdk === true);
const AROUND_THEM = ['all', 'any', 'not', 'never'] as const satisfies readonly StopCondition['type'][];
const KNOWN: readonly string[] = [...USABLE, ...AROUND_THEM];
const USABLE_WORDS = `use ${USABLE.join(', ')}, and all, any and not of them`;

/** What the steps of the SDK cannot tell would be a condition that never holds. */
function issuesOf(condition: StopCondition, path: string): Issue[] {
  const { type, confirm = 1 } = condition;
  if (!KNOWN.includes(type))
    return [{ path, message: `${type} cannot be judged in a loop of the AI SDK: ${USABLE_WORDS}` }];
  const twice =
    confirm > 1 ? [{ path: `${path}.confirm`, message: 'nothing is checked twice in a loop of the AI SDK' }] : [];
  const inside = type === 'not' ? () => `${path}.condition` : (index: number) => `${path}.conditions[${index}]`;
  return [...twice, ...childrenOf(condition).flatMap((child, index) => issuesOf(child, inside(index)))];
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

import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { LoopState } from '../model/loop-state.js';
import { policyEntries } from '../model/policy.js';
import type { ModelCall } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { spendByModel, totalSpend } from '../model/spend-account.js';
import type { StopClass } from '../model/stop-class.js';
import type { Spend } from '../model/usage.js';
import type { StopConditionResult, StopReason, Verdict } from '../model/verdict.js';
import type { RunResult } from '../run/history.js';
import { evaluateCondition } from '../standalone/evaluate.js';
import { type KeptMessage, textOf, callsOf, resultsOf } from './conversation.js';
import { isFailed, outputText } from './run-tool.js';

/** How a run of an agent ended. */
export interface AgentResult {
  readonly runId: string;
  /** What the model said last. */
  readonly text: string;
  readonly iterations: number;
  readonly status: LoopState;
  /** Why it stopped, in a sentence. */
  readonly stopReason?: string | undefined;
  readonly stopClass?: StopClass | undefined;
  /** Every reason, the deciding one first. */
  readonly reasons: readonly StopReason[];
  /** Why the run itself broke. */
  readonly error?: string | undefined;
  /** Tokens and cost of each model. A figure that is not known is undefined. */
  readonly usage: Readonly<Record<string, Spend>>;
  /** With estimates for calls that were cut off. Undefined when a part of it is not known. */
  readonly costUsd?: number | undefined;
  /** More was spent than `costUsd` says: it is undefined, or a raised limit has accepted calls of unknown cost. */
  readonly costIsPartial: boolean;
  /** The last verdict, and the judgement of every condition as a tree. */
  readonly verdict?: (Verdict & { readonly conditions: readonly StopConditionResult[] }) | undefined;
  readonly steps: readonly AgentStep[];
  readonly state: RunState;
}

export function agentResult(
  { runId, status, class: stopClass, reasons, error, state }: RunResult,
  kept: readonly KeptMessage[],
): AgentResult {
  const answer = kept.findLast(({ call, purpose }) => call !== undefined && purpose === undefined);
  const cost = totalSpend(state.spend).costUsd;
  return {
    runId,
    text: answer === undefined ? '' : textOf(answer.message),
    iterations: state.iterations,
    status,
    stopReason: error ?? sentenceOf(reasons[0], state),
    stopClass,
    reasons,
    ...(error === undefined ? {} : { error }),
    usage: spendByModel(state.spend),
    costUsd: cost,
    costIsPartial: cost === undefined || (state.spend.acceptedIterations ?? 0) > 0,
    verdict: verdictOf(state),
    steps: stepsOf(kept),
    state,
  };
}

const ERROR_CHARACTERS = 300;

/** That iterations failed says little without why, unless the condition quotes it. */
function sentenceOf(reason: StopReason | undefined, { recent, latest }: RunState): string | undefined {
  const { condition } = reason ?? {};
  if (reason?.class !== 'failure' || condition === undefined || CONDITION_CATALOG[condition.type].quotes === true)
    return reason?.message;
  const last = latest.errors.at(-1)?.message ?? recent.at(-1)?.error;
  return last === undefined ? reason.message : `${reason.message}, last: "${last.slice(0, ERROR_CHARACTERS)}"`;
}

function verdictOf(state: RunState): AgentResult['verdict'] {
  if (state.verdict === undefined) return undefined;
  const conditions = policyEntries(state.policy).map(({ condition }) => evaluateCondition(condition, state));
  return { ...state.verdict, conditions };
}

/** One model call, and what the tools said that it called. */
export interface AgentStep {
  readonly session: string;
  readonly model?: string | undefined;
  readonly text: string;
  readonly finishReason: string;
  readonly usage: Spend;
  readonly toolCalls: readonly { readonly toolCallId: string; readonly toolName: string; readonly input: unknown }[];
  readonly toolResults: readonly ToolOutcome[];
}

export interface ToolOutcome {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: string;
  readonly failed: boolean;
}

/** The steps that a record reports, oldest first. Summaries are none. */
function stepsOf(kept: readonly KeptMessage[]): readonly AgentStep[] {
  const steps: AgentStep[] = [];
  for (const one of kept) {
    const { message, call, purpose } = one;
    if (call !== undefined && purpose === undefined) steps.push(stepOf(one, call));
    const last = steps.at(-1);
    if (message.role !== 'tool' || last === undefined) continue;
    const toolResults = resultsOf(message).map(({ toolCallId, toolName, output }) => ({
      toolCallId,
      toolName,
      output: outputText(output),
      failed: isFailed(output),
    }));
    steps[steps.length - 1] = { ...last, toolResults: [...last.toolResults, ...toolResults] };
  }
  return steps;
}

function stepOf({ session, message }: KeptMessage, { model, spend, finishReason }: ModelCall): AgentStep {
  const toolCalls = callsOf(message).map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input }));
  return { session, model, text: textOf(message), finishReason, usage: spend, toolCalls, toolResults: [] };
}

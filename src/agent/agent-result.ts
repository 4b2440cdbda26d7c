import type { LoopState } from '../model/loop-state.js';
import { policyEntries } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';
import { spendByModel, totalSpend } from '../model/spend-account.js';
import type { StopClass } from '../model/stop-class.js';
import type { Spend } from '../model/usage.js';
import type { StopConditionResult, StopReason, Verdict } from '../model/verdict.js';
import type { RunResult } from '../run/run-result.js';
import { evaluateCondition } from '../standalone/evaluate.js';
import { type AgentStep, stepsOf } from './agent-steps.js';
import { type KeptMessage, textOf } from './conversation.js';

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
  readonly costUsd?: number | undefined;
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
  return {
    runId,
    text: answer === undefined ? '' : textOf(answer.message),
    iterations: state.iterations,
    status,
    stopReason: error ?? reasons[0]?.message,
    stopClass,
    reasons,
    ...(error === undefined ? {} : { error }),
    usage: spendByModel(state.spend),
    costUsd: totalSpend(state.spend).costUsd,
    verdict: verdictOf(state),
    steps: stepsOf(kept),
    state,
  };
}

function verdictOf(state: RunState): AgentResult['verdict'] {
  if (state.verdict === undefined) return undefined;
  const conditions = policyEntries(state.policy).map(({ condition }) => evaluateCondition(condition, state));
  return { ...state.verdict, conditions };
}

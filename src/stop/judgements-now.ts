import type { RunState } from '../model/run-state.js';
import type { Judgement } from '../model/verdict.js';
import { evaluateRun } from './evaluate-policy.js';

/**
 * How far each condition is. What limits count is known at any moment; what a goal or a failure rests on was looked at
 * when the last iteration ended.
 */
export function judgementsNow(state: RunState): readonly Judgement[] {
  // What a pipeline counts is known at any moment.
  if (state.pipeline !== undefined) return evaluateRun(state).judgements;
  const judged = new Map((state.verdict?.judgements ?? []).map((judgement) => [judgement.path, judgement]));
  return evaluateRun(state).judgements.map((now) => (now.class === 'limit' ? now : (judged.get(now.path) ?? now)));
}

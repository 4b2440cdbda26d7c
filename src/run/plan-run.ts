import { promptValues } from '../iteration/feedback.js';
import { loadPrompt } from '../iteration/load-prompt.js';
import { planInvocation, type PlannedInvocation } from '../iteration/plan-invocation.js';
import { renderPrompt } from '../iteration/render-prompt.js';
import { PromptLoadFailed } from '../model/errors.js';
import type { RunSpec } from '../model/run-spec.js';
import { INITIAL_STATE } from '../model/run-state.js';
import { budgetLeft } from './next-try.js';

/** What a run would do first. */
export interface RunPlan {
  readonly invocation: PlannedInvocation;
  /** Of the prompt, without what the first look at the tests adds; undefined when a hook has yet to write it. */
  readonly promptCharacters?: number | undefined;
}

/** How the first iteration would call its agent. Reads the prompt, starts nothing and writes nothing. */
export async function planRun(
  spec: RunSpec,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<RunPlan> {
  const before = { ...INITIAL_STATE, policy: spec.policy };
  const template = await templateOf(spec);
  const prompt = renderPrompt(template ?? '', promptValues(before, 1), spec);
  const task = { prompt, budgetUsd: budgetLeft(before), cookie: 'RUN.1.1', claimKey: 'KEY' };
  const invocation = planInvocation(spec, environment, task);
  return { invocation, ...(template === undefined ? {} : { promptCharacters: prompt.length }) };
}

async function templateOf(spec: RunSpec): Promise<string | undefined> {
  try {
    return loadPrompt(spec);
  } catch (error) {
    if (error instanceof PromptLoadFailed && spec.hooks.before_iteration !== undefined) return undefined;
    throw error;
  }
}

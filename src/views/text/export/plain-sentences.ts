import { leavesOf, type StopCondition } from '../../../model/condition.js';
import { CONDITION_CATALOG } from '../../../model/condition-catalog.js';
import { type Policy, policyEntries } from '../../../model/policy.js';
import type { Judgement, StopReason } from '../../../model/verdict.js';
import { describe } from '../../../stop/judge.js';
import { WAIT_PATH } from '../../../model/wait-policy.js';

/** Why a run stopped, in words of the policy where the sentence would quote someone. */
export function plainReasons(reasons: readonly StopReason[]): readonly StopReason[] {
  return reasons.map((reason) => {
    const { condition, path, message } = reason;
    return { ...reason, message: condition === undefined ? builtIn(path, message) : plain(condition, message) };
  });
}

/** The same for how far each condition of the policy is. */
export function plainJudgements(judgements: readonly Judgement[], policy: Policy): readonly Judgement[] {
  const conditions = new Map(policyEntries(policy).map(({ path, condition }) => [path, condition]));
  return judgements.map((judgement) => {
    const condition = conditions.get(judgement.path);
    const sentence = condition === undefined ? judgement.path : plain(condition, judgement.sentence);
    return { ...judgement, sentence };
  });
}

function plain(condition: StopCondition, sentence: string): string {
  return leavesOf(condition).some(({ type }) => CONDITION_CATALOG[type].quotes === true)
    ? describe(condition)
    : sentence;
}

/** Of what stops any run. */
function builtIn(path: string, message: string): string {
  if (path === 'operator' || path === 'items') return message;
  if (path === 'agent.auth') return 'the agent is not logged in';
  if (path === 'agent.billing') return 'the account cannot pay';
  if (path === WAIT_PATH) return 'it would have to wait for too long';
  return path.startsWith('hooks.') ? `the hook ${path.slice('hooks.'.length)} stops it` : path;
}

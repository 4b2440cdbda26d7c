import { leavesOf, type StopCondition } from '../../model/condition.js';
import { type Policy, policyEntries } from '../../model/policy.js';
import type { Judgement, StopReason } from '../../model/verdict.js';
import { describe } from '../../stop/describe.js';

/** Conditions whose sentence quotes what the agent, its tools or the user's programs wrote, or names files of theirs. */
const QUOTES: Readonly<Record<StopCondition['type'], boolean>> = {
  max_iterations: false,
  max_duration: false,
  deadline: false,
  max_tokens: false,
  max_input_tokens: false,
  max_output_tokens: false,
  max_cost: false,
  max_cost_per_day: false,
  max_cost_of_batch: false,
  context_above: false,
  test_failure_streak: false,
  no_progress: false,
  oscillation: false,
  consecutive_failures: false,
  repeated_error: true,
  permission_denied: false,
  retry_rate: false,
  reject_rate: false,
  consecutive_fails: false,
  circuit_breaker: false,
  all_tests_pass: false,
  specific_tests_pass: false,
  file_created: false,
  file_contains: false,
  output_pattern: true,
  agent_reports_done: true,
  agent_reports_blocked: true,
  on_error: true,
  custom_script: true,
  check_passes: false,
  protected_path_changed: true,
  diff_exceeds: false,
  user_signal: false,
  function: true,
  all: false,
  any: false,
  not: false,
  for: false,
  never: false,
};

/** Why a run stopped, in words of the policy where the sentence would quote somebody. */
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
  return leavesOf(condition).some(({ type }) => QUOTES[type]) ? describe(condition) : sentence;
}

/** Of what stops any run. */
function builtIn(path: string, message: string): string {
  if (path === 'operator' || path === 'items') return message;
  if (path === 'agent.auth') return 'the agent is not logged in';
  if (path === 'agent.billing') return 'the account cannot pay';
  if (path === 'max_wait') return 'it would have to wait for too long';
  return path.startsWith('hooks.') ? `the hook ${path.slice('hooks.'.length)} stops it` : path;
}

import type { ConditionOf, StopCondition } from '../model/condition.js';
import { conditionKey } from '../model/condition-key.js';
import type { StopConditionResult } from '../model/verdict.js';
import type { Facts } from './facts.js';
import { claimSentence, count, plural, quote, stopRequested } from './figures.js';
import { met, notMet, unknown } from './result.js';

type ProbeCondition = ConditionOf<
  'file_created' | 'file_contains' | 'custom_script' | 'function' | 'protected_path_changed'
>;

/** The recorded answer decides; without one it is unknown. */
export function judgeProbe(condition: ProbeCondition, facts: Facts): StopConditionResult {
  const probe = own(facts.probes, conditionKey(condition));
  if (probe === undefined) return unknown(condition, `${subject(condition)} was not looked at`);
  if (probe.met === undefined) return unknown(condition, probe.detail ?? `${subject(condition)} could not be told`);
  const found = probe.detail ?? `${subject(condition)}: ${probe.met ? 'yes' : 'no'}`;
  const isTouched = condition.type === 'protected_path_changed' && probe.met;
  const sentence = isTouched ? found.replace(/^(.+) changed$/, 'protected files changed: $1') : found;
  return probe.met ? met(condition, sentence) : notMet(condition, sentence);
}

function subject(condition: ProbeCondition): string {
  switch (condition.type) {
    case 'file_created':
      return `whether ${condition.path} exists`;
    case 'file_contains':
      return `whether ${condition.path} holds ${quote(condition.content, 40)}`;
    case 'custom_script':
      return `the script ${condition.script}`;
    case 'function':
      return `the function ${condition.name}`;
    case 'protected_path_changed':
      return `whether ${condition.paths.join(', ')} changed`;
    default:
      return condition satisfies never;
  }
}

export function judgeCheck(condition: ConditionOf<'check_passes'>, facts: Facts): StopConditionResult {
  const check = own(facts.checks, condition.name);
  if (check?.passed === undefined) return unknown(condition, `the check ${condition.name} was not run to its end`);
  if (check.passed) return met(condition, `the check ${condition.name} passes`);
  return notMet(condition, `the check ${condition.name} fails`);
}

export function judgeDiff(condition: ConditionOf<'diff_exceeds'>, facts: Facts): StopConditionResult {
  const { files: changed } = facts;
  const { files, lines } = condition;
  const known =
    changed !== undefined &&
    (files === undefined || Number.isFinite(changed.changedFiles)) &&
    (lines === undefined || Number.isFinite(changed.changedLines));
  if (!known) return unknown(condition, 'the changes were not observed');
  const sentence = [
    files === undefined ? undefined : `${count(changed.changedFiles)} changed of ${plural(files, 'file')} allowed`,
    lines === undefined ? undefined : `${count(changed.changedLines)} changed of ${plural(lines, 'line')} allowed`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
  const share = Math.max(
    files === undefined ? 0 : changed.changedFiles / files,
    lines === undefined ? 0 : changed.changedLines / lines,
  );
  return share > 1 ? met(condition, sentence) : notMet(condition, sentence, share);
}

export function judgeOutput(condition: ConditionOf<'output_pattern'>, facts: Facts): StopConditionResult {
  if (facts.matches === undefined) return unknown(condition, 'what the agent said is not known');
  const found = own(facts.matches, conditionKey(condition));
  if (found === undefined) return notMet(condition, `the agent has not said ${shown(condition)}`);
  return met(
    condition,
    condition.is_regex === true
      ? `the agent said ${quote(found)}, matching ${shown(condition)}`
      : `the agent said ${quote(found)}`,
  );
}

function shown({ pattern, is_regex }: ConditionOf<'output_pattern'>): string {
  return is_regex === true ? `/${pattern}/` : quote(pattern);
}

/** That it was said is the fact; whether it is so, other conditions tell. */
export function judgeClaim(
  condition: ConditionOf<'agent_reports_done' | 'agent_reports_blocked'>,
  facts: Facts,
): StopConditionResult {
  const claim = condition.type === 'agent_reports_done' ? 'done' : 'blocked';
  if (facts.claims === undefined) return unknown(condition, 'what the agent reports is not known');
  const evidence = own(facts.claims, claim);
  if (evidence === undefined) return notMet(condition, `the agent has not reported that it is ${claim}`);
  return met(condition, claimSentence(claim, evidence));
}

export function judgeError(condition: ConditionOf<'on_error'>, facts: Facts): StopConditionResult {
  const { pattern } = condition;
  if (facts.errors === undefined) return unknown(condition, 'whether an error occurred is not known');
  const found = facts.errors.find((error) => pattern === undefined || error.message.includes(pattern));
  if (found !== undefined) return met(condition, `error: ${quote(found.message, 160)}`);
  return notMet(condition, pattern === undefined ? 'no error' : `no error with ${quote(pattern)}`);
}

export function judgeSignal(condition: ConditionOf<'user_signal'>, facts: Facts): StopConditionResult {
  if (facts.userSignal === undefined) return unknown(condition, 'whether a stop was requested is not known');
  if (!facts.userSignal) return notMet(condition, 'no stop was requested');
  return met(condition, stopRequested(facts.operatorStop?.by ?? 'the user'));
}

export function judgeNever(condition: StopCondition): StopConditionResult {
  return notMet(condition, 'never');
}

/** Names come from outside: `constructor` is not a fact. */
function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

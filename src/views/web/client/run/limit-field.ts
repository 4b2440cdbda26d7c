import type { StopCondition } from '../../../../model/condition.js';
import { DURATION_EXAMPLES, formatDuration, parseDuration } from '../../../../model/duration.js';
import { type Policy, policyEntries } from '../../../../model/policy.js';
import { describe } from '../../../../stop/describe.js';

/** A limit that can be set anew, as a form asks for it. */
export interface LimitField {
  readonly path: string;
  readonly condition: StopCondition;
  /** As it is now: `after $5.00`. */
  readonly label: string;
  readonly hint: string;
  /** As much again. */
  readonly suggested: string;
}

/** Those of a policy that an operator can set anew. */
export function limitFields(policy: Policy): readonly LimitField[] {
  return policyEntries(policy).flatMap(({ path, condition }) => {
    const asked = askedFor(condition);
    return asked === undefined ? [] : [{ path, condition, label: describe(condition), ...asked }];
  });
}

/** The limit with what was typed in place of its figure; undefined when that is not one. */
export function withFigure(condition: StopCondition, typed: string): StopCondition | undefined {
  const text = typed.trim();
  switch (condition.type) {
    case 'max_iterations':
    case 'max_tokens':
    case 'max_input_tokens':
    case 'max_output_tokens': {
      const count = wholeNumber(text);
      return count === undefined ? undefined : { ...condition, count };
    }
    case 'circuit_breaker': {
      const attempts = wholeNumber(text);
      return attempts === undefined ? undefined : { ...condition, attempts };
    }
    case 'max_cost':
    case 'max_cost_per_day': {
      const usd = /^\$?\d+(?:\.\d+)?$/.test(text) ? Number(text.replace('$', '')) : 0;
      return usd > 0 ? { ...condition, usd } : undefined;
    }
    case 'max_duration':
      return parseDuration(text) === undefined ? undefined : { ...condition, duration: text };
    case 'deadline':
      return Number.isNaN(Date.parse(text)) ? undefined : { ...condition, at: new Date(text).toISOString() };
    default:
      return undefined;
  }
}

function askedFor(condition: StopCondition): Pick<LimitField, 'hint' | 'suggested'> | undefined {
  switch (condition.type) {
    case 'max_iterations':
      return { hint: 'iterations', suggested: String(condition.count * 2) };
    case 'max_tokens':
    case 'max_input_tokens':
    case 'max_output_tokens':
      return { hint: 'tokens', suggested: String(condition.count * 2) };
    case 'circuit_breaker':
      return { hint: 'attempts', suggested: String(condition.attempts * 2) };
    case 'max_cost':
      return { hint: 'US dollars', suggested: String(Math.round(condition.usd * 200) / 100 || condition.usd * 2) };
    case 'max_cost_per_day':
      return { hint: 'US dollars; it can only be lowered', suggested: String(condition.usd) };
    case 'max_duration': {
      const limitMs = parseDuration(condition.duration) ?? 0;
      return {
        hint: `active time, such as ${DURATION_EXAMPLES}`,
        suggested: formatDuration(limitMs * 2, { exact: true }),
      };
    }
    case 'deadline':
      return { hint: 'a time, such as 2027-03-01T06:00Z', suggested: condition.at };
    default:
      return undefined;
  }
}

function wholeNumber(text: string): number | undefined {
  const value = /^\d[\d,_]*$/.test(text) ? Number(text.replace(/[,_]/g, '')) : 0;
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

import type { StopCondition } from '../../../../model/condition.js';
import { DURATION_EXAMPLES, formatDuration, parseDuration } from '../../../../model/duration.js';
import { type Policy, policyEntries } from '../../../../model/policy.js';
import { describe } from '../../../../stop/describe.js';

/** A limit that can be set anew, as a form asks for it. */
export interface LimitField {
  /** Names it also when it stands elsewhere in the policy. */
  readonly key: string;
  readonly condition: StopCondition;
  /** As it is now: `after $5.00`. */
  readonly label: string;
  readonly hint: string;
  /** What can be typed: `a whole number above 0, such as 50`. */
  readonly form: string;
  /** As much again. */
  readonly suggested: string;
}

/** Those of a policy that an operator can set anew. What is set anew goes to the end of a policy, but keeps its place here. */
export function limitFields(policy: Policy, order: readonly string[]): readonly LimitField[] {
  const conditions = policyEntries(policy).map(({ condition }) => condition);
  const place = ({ condition: { type } }: LimitField) => (order.includes(type) ? order.indexOf(type) : order.length);
  return conditions
    .flatMap((condition, index) => {
      const asked = askedFor(condition);
      const before = conditions.slice(0, index).filter(({ type }) => type === condition.type).length;
      const key = `${condition.type} ${before}`;
      return asked === undefined ? [] : [{ key, condition, label: describe(condition), ...asked }];
    })
    .toSorted((a, b) => place(a) - place(b));
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
      const usd = /^\$?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/.test(text) ? Number(text.replace(/[$,]/g, '')) : 0;
      return usd > 0 && Number.isFinite(usd) ? { ...condition, usd } : undefined;
    }
    case 'max_duration':
      return parseDuration(text) === undefined ? undefined : { ...condition, duration: text };
    case 'deadline':
      return Number.isNaN(Date.parse(text)) ? undefined : { ...condition, at: new Date(text).toISOString() };
    default:
      return undefined;
  }
}

const WHOLE = 'a whole number above 0, such as';
const AMOUNT = 'an amount above 0, such as 7.50';

function askedFor(condition: StopCondition): Pick<LimitField, 'hint' | 'form' | 'suggested'> | undefined {
  switch (condition.type) {
    case 'max_iterations':
      return { hint: 'iterations', form: `${WHOLE} 50`, suggested: String(condition.count * 2) };
    case 'max_tokens':
    case 'max_input_tokens':
    case 'max_output_tokens':
      return { hint: 'tokens', form: `${WHOLE} 2,000,000`, suggested: String(condition.count * 2) };
    case 'circuit_breaker':
      return { hint: 'attempts', form: `${WHOLE} 50`, suggested: String(condition.attempts * 2) };
    case 'max_cost':
      return {
        hint: 'US dollars',
        form: AMOUNT,
        suggested: String(Math.round(condition.usd * 200) / 100 || condition.usd * 2),
      };
    case 'max_cost_per_day':
      return { hint: 'US dollars; it can only be lowered', form: AMOUNT, suggested: String(condition.usd) };
    case 'max_duration': {
      const limitMs = parseDuration(condition.duration) ?? 0;
      return {
        hint: 'active time',
        form: `a time with its unit, such as ${DURATION_EXAMPLES}`,
        suggested: formatDuration(limitMs * 2, { exact: true }),
      };
    }
    case 'deadline':
      return {
        hint: 'a point in time',
        form: 'a date with a time, such as 2027-03-01T06:00Z',
        suggested: condition.at,
      };
    default:
      return undefined;
  }
}

/** Commas only where they group thousands: `7,5` is none that anybody can be sure of. */
function wholeNumber(text: string): number | undefined {
  const value = /^(?:\d+|\d{1,3}(?:,\d{3})+)$/.test(text) ? Number(text.replaceAll(',', '')) : 0;
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

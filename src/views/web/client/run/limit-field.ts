import type { StopCondition } from '../../../../model/condition.js';
import { CONDITION_CATALOG } from '../../../../model/condition-catalog.js';
import { DURATION_EXAMPLES, formatDuration, parseDuration } from '../../../../model/duration.js';
import type { Quantity } from '../../../../model/judging/quantity.js';
import { type Policy, policyEntries } from '../../../../model/policy.js';
import { describe } from '../../../../stop/judge.js';

/** A limit that can be set again, as a form asks for it. */
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

/** How a quantity is typed into a form. */
interface QuantityForm {
  readonly hint: string;
  readonly form: string;
  /** As much again. */
  readonly suggest: (amount: number, written: string) => string;
  /** Undefined for what is not an amount. */
  readonly read: (text: string) => string | number | undefined;
}

const whole = (hint: string, example: string): QuantityForm => ({
  hint,
  form: `a whole number above 0, such as ${example}`,
  suggest: (amount) => String(amount * 2),
  read: wholeNumber,
});

const dollars = (hint: string, suggest: QuantityForm['suggest']): QuantityForm => ({
  hint,
  form: 'an amount above 0, such as 7.50',
  suggest,
  read: (text) => {
    const usd = /^\$?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/.test(text) ? Number(text.replace(/[$,]/g, '')) : 0;
    return usd > 0 && Number.isFinite(usd) ? usd : undefined;
  },
});

const TOKENS = whole('tokens', '2,000,000');

/** What an operator can set. What a batch spends is one for all its runs. */
const FORMS: Readonly<Partial<Record<Quantity, QuantityForm>>> = {
  iterations: whole('iterations', '50'),
  attempts: whole('attempts', '50'),
  totalTokens: TOKENS,
  inputTokens: TOKENS,
  outputTokens: TOKENS,
  costUsd: dollars('US dollars', (usd) => String(Math.round(usd * 200) / 100 || usd * 2)),
  dayCostUsd: dollars('US dollars; it can only be lowered', String),
  activeMs: {
    hint: 'active time',
    form: `a time with its unit, such as ${DURATION_EXAMPLES}`,
    suggest: (ms) => formatDuration((ms || 0) * 2, { exact: true }),
    read: (text) => (parseDuration(text) === undefined ? undefined : text),
  },
  atMs: {
    hint: 'a point in time',
    form: 'a date with a time, such as 2027-03-01T06:00Z',
    suggest: (_ms, written) => written,
    read: (text) => (Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString()),
  },
};

/** Those of a policy that an operator can set. One that is set goes to the end of a policy, but keeps its place here. */
export function limitFields(policy: Policy, order: readonly string[]): readonly LimitField[] {
  const conditions = policyEntries(policy).map(({ condition }) => condition);
  const place = ({ condition: { type } }: LimitField) => (order.includes(type) ? order.indexOf(type) : order.length);
  return conditions
    .flatMap((condition, index) => {
      const found = formOf(condition);
      if (found === undefined) return [];
      const { hint, form, suggest } = found.form;
      const before = conditions.slice(0, index).filter(({ type }) => type === condition.type).length;
      const suggested = suggest(found.amount, found.written);
      return [{ key: `${condition.type} ${before}`, condition, label: describe(condition), hint, form, suggested }];
    })
    .toSorted((a, b) => place(a) - place(b));
}

/** The limit with what was typed in place of its amount; undefined when that is not one. */
export function withFigure(condition: StopCondition, typed: string): StopCondition | undefined {
  const found = formOf(condition);
  const value = found?.form.read(typed.trim());
  return found === undefined || value === undefined ? undefined : { ...condition, [found.field]: value };
}

function formOf(condition: StopCondition) {
  const { limit, short: field = '' } = CONDITION_CATALOG[condition.type];
  const { quantity, amount = 0 } = limit?.(condition) ?? {};
  const form = quantity === undefined ? undefined : FORMS[quantity];
  if (form === undefined) return undefined;
  return { form, amount, field, written: String((condition as unknown as Record<string, unknown>)[field]) };
}

/** Commas only where they group thousands: `7,5` may mean either. */
function wholeNumber(text: string): number | undefined {
  const value = /^(?:\d+|\d{1,3}(?:,\d{3})+)$/.test(text) ? Number(text.replaceAll(',', '')) : 0;
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

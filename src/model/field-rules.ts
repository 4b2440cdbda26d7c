import type { FieldKind } from './judging/condition-definition.js';
import { isFailureModel } from './failure-model.js';
import { DURATION_EXAMPLES, parseDuration } from './duration.js';

/** What a field may hold: the words for a message, and the test. */
export interface FieldRule {
  readonly allowed: string;
  readonly accepts: (value: unknown) => boolean;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isTexts = (value: unknown) => Array.isArray(value) && value.every((entry) => typeof entry === 'string');

/** The rule of each kind of field; the schema says the same in JSON Schema's words. */
export const FIELD_RULES: Readonly<Record<FieldKind, FieldRule>> = {
  count: {
    allowed: 'a whole number of at least 1',
    accepts: (value) => isNumber(value) && Number.isSafeInteger(value) && value >= 1,
  },
  usd: { allowed: 'an amount of US dollars above 0', accepts: (value) => isNumber(value) && value > 0 },
  duration: {
    allowed: `a duration with units, such as ${DURATION_EXAMPLES}`,
    accepts: (value) => typeof value === 'string' && (parseDuration(value) ?? 0) > 0,
  },
  time: {
    allowed: 'an ISO 8601 time with its zone, such as "2026-01-31T06:00:00Z"',
    accepts: (value) =>
      typeof value === 'string' &&
      /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/.test(value) &&
      !Number.isNaN(Date.parse(value)) &&
      isDay(value.slice(0, 10)),
  },
  percent: { allowed: 'a percentage from 0 to 100', accepts: (value) => isNumber(value) && value >= 0 && value <= 100 },
  rate: { allowed: 'a part from 0 to 1', accepts: (value) => isNumber(value) && value >= 0 && value <= 1 },
  number: { allowed: 'a number', accepts: isNumber },
  amount: { allowed: 'a number of at least 0', accepts: (value) => isNumber(value) && value >= 0 },
  direction: { allowed: '"higher" or "lower"', accepts: (value) => value === 'higher' || value === 'lower' },
  text: { allowed: 'a text that is not empty', accepts: isText },
  path: { allowed: 'a path', accepts: (value) => isText(value) && !value.includes('\0') },
  texts: {
    allowed: 'a list of at least one text',
    accepts: (value) => isTexts(value) && value.length > 0 && value.every(isText),
  },
  arguments: {
    allowed: 'a list of texts',
    accepts: (value) => isTexts(value) && value.every((text) => !text.includes('\0')),
  },
  flag: { allowed: 'true or false', accepts: (value) => typeof value === 'boolean' },
  allow: { allowed: '"allow"', accepts: (value) => value === 'allow' },
  opinion: { allowed: '"blocked" or "stuck"', accepts: (value) => value === 'blocked' || value === 'stuck' },
  model: { allowed: 'the file of a model that pawl tune has written', accepts: isFailureModel },
  condition: { allowed: 'a condition', accepts: () => true },
  conditions: { allowed: 'a list of at least one condition', accepts: () => true },
};

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a message may show it: short, on one line, without control characters. */
export function showValue(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'this list';
  if (isRecord(value)) return 'a mapping';
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'string') return clip(JSON.stringify(value.slice(0, 100)));
  if (typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'symbol') return clip(String(value));
  return 'a function';
}

/** An untrusted name inside a message: short, and with nothing in it that a terminal would obey. */
export function clip(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return short.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `Date` takes February 30 for March 2. */
function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

import { CONDITION_CATALOG } from './condition-catalog.js';
import type { ConditionType } from './condition.js';
import { isRecord } from './field-rules.js';
import type { FieldKind } from './judging/condition-definition.js';

/** Deeper than any that a config may have. */
const DEEPEST = 100;

type PlainKind = Exclude<FieldKind, 'condition' | 'conditions' | 'texts' | 'arguments'>;

const PLAIN_TYPES: Readonly<Record<PlainKind, string>> = {
  count: 'number',
  usd: 'number',
  percent: 'number',
  rate: 'number',
  number: 'number',
  amount: 'number',
  direction: 'string',
  duration: 'string',
  time: 'string',
  text: 'string',
  path: 'string',
  allow: 'string',
  opinion: 'string',
  flag: 'boolean',
};

/** Whether a recorded value is a condition, as far as reading it goes: its type is known, and its fields are of theirs. */
export function isConditionShape(value: unknown): boolean {
  return isCondition(value, 0);
}

function isCondition(value: unknown, depth: number): boolean {
  if (!isRecord(value) || depth > DEEPEST) return false;
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(CONDITION_CATALOG, type)) return false;
  return Object.entries(CONDITION_CATALOG[type as ConditionType].fields).every(([name, { kind, optional }]) => {
    const field = value[name];
    return (field === undefined && optional === true) || isFieldShape(kind, field, depth);
  });
}

function isFieldShape(kind: FieldKind, field: unknown, depth: number): boolean {
  if (kind === 'condition') return isCondition(field, depth + 1);
  if (kind === 'conditions') return Array.isArray(field) && field.every((one) => isCondition(one, depth + 1));
  if (kind === 'texts' || kind === 'arguments') {
    return Array.isArray(field) && field.every((one) => typeof one === 'string');
  }
  return typeof field === PLAIN_TYPES[kind];
}

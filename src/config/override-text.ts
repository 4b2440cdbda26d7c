import type { ConditionType } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { FieldKind } from '../model/judging/condition-definition.js';
import { parseDuration } from '../model/duration.js';
import { FIELD_RULES, showValue } from '../model/field-rules.js';
import type { LeafKind } from './leaf-rule.js';
import type { Shape } from './shape.js';

const WHOLE_NUMBER = /^\d+$/;
const DECIMAL_NUMBER = /^\d+(?:\.\d+)?$/;

/** The text of a flag or variable as the value that its key wants; text that is not one is left for the rule to refuse. */
export function valueOfText(shape: Shape, text: string): unknown {
  if (shape.kind === 'leaf') return leafOfText(shape.of, text);
  return text;
}

/** Numbers are read whole: `08` is 8, and `3x`, `1e3`, `0x10` and `-1` are no numbers. */
export function leafOfText(kind: LeafKind, text: string): unknown {
  switch (kind) {
    case 'count':
    case 'count-or-none':
      return WHOLE_NUMBER.test(text) ? Number(text) : text;
    case 'usd':
    case 'percent':
    case 'rate':
    case 'price':
      return DECIMAL_NUMBER.test(text) ? Number(text) : text;
    case 'delay':
      return text === '0' ? 0 : text;
    case 'flag':
      return FLAG_TEXTS.get(text) ?? text;
    default:
      return text;
  }
}

/** What the flag of a limit gives: its condition, to be read, or why it has none. A 0 is no limit. */
export function limitOfText(
  type: ConditionType,
  text: string,
): 'none' | { readonly input: object } | { readonly problem: string } {
  if (isNoneText(text)) return 'none';
  const field = CONDITION_CATALOG[type].short ?? '';
  const kind = CONDITION_CATALOG[type].fields[field]?.kind as Exclude<
    FieldKind,
    'condition' | 'conditions' | 'allow' | 'opinion'
  >;
  const value = leafOfText(kind, text);
  const { allowed, accepts } = FIELD_RULES[kind];
  if (accepts(value)) return { input: { type, [field]: value } };
  return { problem: `must be ${allowed}, or 0 for none, not ${showValue(value)}` };
}

/** The flag of a limit takes it away with a 0. */
export function isNoneText(text: string): boolean {
  return /^0+(?:\.0+)?$/.test(text) || parseDuration(text) === 0;
}

const FLAG_TEXTS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

import type { ConditionType, StopCondition } from './condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES, isConditionType } from './condition-catalog.js';
import { ConfigError, type Issue } from './errors.js';
import { kindOf } from './fields.js';
import { clip, isRecord } from './show-value.js';
import { deepFreeze } from './json.js';
import { COMMON_FIELDS, type GivenFields, readFields } from './judging/define-condition.js';
import { didYouMean } from './nearest.js';

const DEEPEST = 32;
const MOST_CONDITIONS = 1000;

interface Reading {
  readonly issues: Issue[];
  count: number;
}

/** Reads one untrusted condition, in full or in shorthand; throws a ConfigError that names every issue. */
export function parseCondition(input: unknown, path = 'condition'): StopCondition {
  const { condition, issues } = readCondition(input, path);
  if (condition === undefined) throw new ConfigError(issues);
  return condition;
}

/** Like `parseCondition`, but hands the issues back: `condition` is there when there are none. */
export function readCondition(input: unknown, path: string): { condition?: StopCondition; issues: readonly Issue[] } {
  const reading: Reading = { issues: [], count: 0 };
  const condition = readNode(input, path, 1, reading);
  if (reading.issues.length > 0) return { issues: reading.issues };
  return { condition: deepFreeze(condition as StopCondition), issues: [] };
}

function readNode(input: unknown, path: string, depth: number, reading: Reading): unknown {
  const { issues } = reading;
  const refuse = (message: string) => void issues.push({ path, message });
  reading.count += 1;
  if (depth > DEEPEST) return refuse(`conditions are nested more than ${DEEPEST} deep`);
  if (reading.count > MOST_CONDITIONS) {
    return reading.count === MOST_CONDITIONS + 1 ? refuse(`more than ${MOST_CONDITIONS} conditions`) : undefined;
  }
  const form = typeAndFields(input);
  if ('problem' in form) return refuse(form.problem);
  return readFields(CONDITION_CATALOG[form.type], form.fields, {
    path,
    issues,
    isOutermost: depth === 1,
    readInner: (inner, at) => readNode(inner, at, depth + 1, reading),
  });
}

/** There are three ways of writing: a bare name, `{ name: value }`, and `{ type: name, ... }`. */
function typeAndFields(input: unknown): { type: ConditionType; fields: GivenFields } | { problem: string } {
  if (typeof input === 'string') return known(input, {});
  if (!isRecord(input)) return { problem: `a condition is a name or a mapping, not ${nameOf(input)}` };
  if (Object.hasOwn(input, 'type')) {
    const { type, ...fields } = input;
    if (typeof type !== 'string') return { problem: `the type of a condition is a name, not ${nameOf(type)}` };
    return known(type, fields);
  }
  const names = Object.keys(input).filter((name) => !COMMON_FIELDS.includes(name as never));
  const [name] = names;
  if (names.length !== 1 || name === undefined) {
    return { problem: `a condition has one name, found ${names.length === 0 ? 'none' : clip(names.join(', '))}` };
  }
  return known(name, { ...common(input), ...shorthand(name, input[name]) });
}

function known(type: string, fields: GivenFields): { type: ConditionType; fields: GivenFields } | { problem: string } {
  if (isConditionType(type)) return { type, fields };
  return { problem: `unknown condition "${clip(type)}"${didYouMean(type, CONDITION_TYPES)}` };
}

function shorthand(name: string, value: unknown): GivenFields {
  if (value === null || value === undefined || value === true) return {};
  const definition = isConditionType(name) ? CONDITION_CATALOG[name] : undefined;
  const { short = 'value' } = definition ?? {};
  const kind = kindOf(definition?.fields[short]);
  // `not: { max_cost: 5 }` holds a condition; any other mapping has the fields.
  if (isRecord(value) && (kind !== 'condition' || Object.hasOwn(value, short))) return value;
  return { [short]: kind === 'texts' && typeof value === 'string' ? [value] : value };
}

function common(input: GivenFields): GivenFields {
  return Object.fromEntries(COMMON_FIELDS.filter((name) => name in input).map((name) => [name, input[name]]));
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

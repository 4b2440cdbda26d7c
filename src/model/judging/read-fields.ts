import type { Issue } from '../errors.js';
import { clip, FIELD_RULES, showValue } from '../field-rules.js';
import { didYouMean } from '../nearest.js';
import { regexProblem } from '../pattern.js';
import type { AnyCondition, ConditionDefinition } from './condition-definition.js';

export type Fields = Record<string, unknown>;

export const COMMON_FIELDS = ['class', 'confirm'] as const;

export interface FieldReading {
  readonly path: string;
  readonly issues: Issue[];
  /** It is not inside another condition. */
  readonly isOutermost: boolean;
  readonly readInner: (value: unknown, path: string) => unknown;
}

/** Reads the fields of one condition by its definition; adds every issue that it finds. */
export function readFields<C extends AnyCondition>(
  { type, fields: known, needsOneOf, checkFields }: ConditionDefinition<C>,
  fields: Fields,
  reading: FieldReading,
): Fields {
  const { path, issues, isOutermost } = reading;
  const at = (name: string) => `${path}.${name}`;
  const result: Fields = { type };
  for (const name of Object.keys(fields)) {
    if (Object.hasOwn(known, name) || COMMON_FIELDS.includes(name as never)) continue;
    const suggestion = didYouMean(name, [...Object.keys(known), ...COMMON_FIELDS]);
    const takes = Object.keys(known).join(', ') || 'nothing';
    const message = `${type} has no field "${clip(name)}"${suggestion} (it takes ${takes})`;
    issues.push({ path: at(name), message, unknownKey: true });
  }
  for (const [name, { kind, optional }] of Object.entries(known)) {
    const value = fields[name];
    if (value !== undefined) result[name] = readField(kind, value, at(name), reading);
    else if (optional === undefined)
      issues.push({ path: at(name), message: `${type} needs ${name}: ${FIELD_RULES[kind].allowed}` });
  }
  if (isOutermost) readCommon(fields, result, reading);
  else refuseCommon(fields, reading);
  if (needsOneOf?.every((name) => result[name] === undefined) === true)
    issues.push({ path, message: `${type} needs ${needsOneOf.join(', ')} or both` });
  const problem = checkFields?.(result as Partial<C>, regexProblem);
  if (problem !== undefined) issues.push({ path: at(problem.field), message: problem.message });
  return result;
}

/** Undefined where it is wrong. */
function readField(
  kind: keyof typeof FIELD_RULES,
  value: unknown,
  path: string,
  { issues, readInner }: FieldReading,
): unknown {
  if (kind === 'condition') return readInner(value, path);
  const isList = kind === 'conditions' && Array.isArray(value) && value.length > 0;
  if (isList) return value.map((entry, index) => readInner(entry, `${path}[${index}]`));
  if (kind !== 'conditions' && FIELD_RULES[kind].accepts(value)) return value;
  return void issues.push({ path, message: `must be ${FIELD_RULES[kind].allowed}, not ${showValue(value)}` });
}

/** They are about a condition as a whole: inside another one they would have no effect, and that would not be noticed. */
function refuseCommon(fields: Fields, { path, issues }: FieldReading): void {
  for (const name of COMMON_FIELDS.filter((common) => fields[common] !== undefined)) {
    issues.push({ path: `${path}.${name}`, message: `${name} belongs to the outermost condition` });
  }
}

function readCommon(fields: Fields, result: Fields, { path, issues }: FieldReading): void {
  const { class: stopClass, confirm } = fields;
  const refuse = (name: string, allowed: string, value: unknown) =>
    issues.push({ path: `${path}.${name}`, message: `must be ${allowed}, not ${showValue(value)}` });
  if (stopClass === 'goal' || stopClass === 'failure') result['class'] = stopClass;
  else if (stopClass !== undefined) refuse('class', '"goal" or "failure"', stopClass);
  if (confirm === undefined) return;
  if (FIELD_RULES.count.accepts(confirm)) result['confirm'] = confirm;
  else refuse('confirm', FIELD_RULES.count.allowed, confirm);
}

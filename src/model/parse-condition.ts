import type { ConditionType, StopCondition } from './condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES, isConditionType } from './condition-catalog.js';
import { ConfigError, type Issue } from './errors.js';
import { clip, FIELD_RULES, isRecord, showValue } from './field-rules.js';
import { deepFreeze } from './json.js';
import { didYouMean } from './nearest.js';
import { regexProblem } from './pattern.js';

const DEEPEST = 32;
const MOST_CONDITIONS = 1000;
const COMMON_FIELDS = ['class', 'confirm'] as const;

type Fields = Record<string, unknown>;

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
  const say = (message: string, at = path) => void reading.issues.push({ path: at, message });
  reading.count += 1;
  if (depth > DEEPEST) return say(`conditions are nested more than ${DEEPEST} deep`);
  if (reading.count > MOST_CONDITIONS) {
    return reading.count === MOST_CONDITIONS + 1 ? say(`more than ${MOST_CONDITIONS} conditions`) : undefined;
  }
  const form = typeAndFields(input);
  if ('problem' in form) return say(form.problem);
  return readFields(form.type, form.fields, path, depth, reading);
}

/** Tells the three ways of writing apart: a bare name, `{ name: value }`, and `{ type: name, ... }`. */
function typeAndFields(input: unknown): { type: ConditionType; fields: Fields } | { problem: string } {
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

function known(type: string, fields: Fields): { type: ConditionType; fields: Fields } | { problem: string } {
  if (isConditionType(type)) return { type, fields };
  return { problem: `unknown condition "${clip(type)}"${didYouMean(type, CONDITION_TYPES)}` };
}

function shorthand(name: string, value: unknown): Fields {
  const short = isConditionType(name) ? CONDITION_CATALOG[name].short : undefined;
  if (value === null || value === undefined || value === true) return {};
  if (isRecord(value) && (name !== 'not' || Object.hasOwn(value, 'condition'))) return value;
  if (short === 'tests' || short === 'paths') return { [short]: typeof value === 'string' ? [value] : value };
  return { [short ?? 'value']: value };
}

function readFields(type: ConditionType, fields: Fields, path: string, depth: number, reading: Reading): unknown {
  const info = CONDITION_CATALOG[type];
  const result: Fields = { type };
  const say = (message: string, at: string) => void reading.issues.push({ path: at, message });
  for (const name of Object.keys(fields)) {
    if (Object.hasOwn(info.fields, name) || COMMON_FIELDS.includes(name as never)) continue;
    const allowed = [...Object.keys(info.fields), ...COMMON_FIELDS];
    const takes = Object.keys(info.fields).join(', ') || 'nothing';
    const message = `${type} has no field "${clip(name)}"${didYouMean(name, allowed)} (it takes ${takes})`;
    reading.issues.push({ path: join(path, name), message, unknownKey: true });
  }
  for (const [name, field] of Object.entries(info.fields)) {
    const value = fields[name];
    if (value === undefined) {
      if (field.optional === undefined)
        say(`${type} needs ${name}: ${FIELD_RULES[field.kind].allowed}`, join(path, name));
      continue;
    }
    if (field.kind === 'condition') result[name] = readNode(value, join(path, name), depth + 1, reading);
    else if (field.kind === 'conditions') result[name] = readList(value, join(path, name), depth, reading);
    else if (FIELD_RULES[field.kind].accepts(value)) result[name] = value;
    else say(`must be ${FIELD_RULES[field.kind].allowed}, not ${showValue(value)}`, join(path, name));
  }
  if (depth === 1) readCommon(fields, result, path, reading);
  else refuseCommon(fields, path, reading);
  checkTogether(type, result, path, say);
  return result;
}

function readList(value: unknown, path: string, depth: number, reading: Reading): unknown {
  if (!Array.isArray(value) || value.length === 0) {
    return void reading.issues.push({
      path,
      message: `must be ${FIELD_RULES.conditions.allowed}, not ${showValue(value)}`,
    });
  }
  return value.map((entry, index) => readNode(entry, `${path}[${index}]`, depth + 1, reading));
}

/** They are about a condition as a whole: inside another one they would be without effect, and nobody would notice. */
function refuseCommon(fields: Fields, path: string, reading: Reading): void {
  for (const name of COMMON_FIELDS.filter((common) => fields[common] !== undefined)) {
    reading.issues.push({ path: join(path, name), message: `${name} belongs to the outermost condition` });
  }
}

function readCommon(fields: Fields, result: Fields, path: string, reading: Reading): void {
  const { class: stopClass, confirm } = fields;
  if (stopClass === 'goal' || stopClass === 'failure') result['class'] = stopClass;
  else if (stopClass !== undefined) {
    reading.issues.push({
      path: join(path, 'class'),
      message: `must be "goal" or "failure", not ${showValue(stopClass)}`,
    });
  }
  if (confirm === undefined) return;
  if (FIELD_RULES.count.accepts(confirm)) result['confirm'] = confirm;
  else
    reading.issues.push({
      path: join(path, 'confirm'),
      message: `must be ${FIELD_RULES.count.allowed}, not ${showValue(confirm)}`,
    });
}

/** Rules that need more than one field. */
function checkTogether(
  type: ConditionType,
  result: Fields,
  path: string,
  say: (message: string, at: string) => void,
): void {
  if (type === 'diff_exceeds' && result['files'] === undefined && result['lines'] === undefined) {
    say('diff_exceeds needs files, lines or both', path);
  }
  if (type === 'output_pattern' && result['is_regex'] === true && typeof result['pattern'] === 'string') {
    const problem = regexProblem(result['pattern']);
    if (problem !== undefined) say(problem, join(path, 'pattern'));
  }
}

function common(input: Fields): Fields {
  return Object.fromEntries(COMMON_FIELDS.filter((name) => name in input).map((name) => [name, input[name]]));
}

function join(path: string, field: string): string {
  return `${path}.${field}`;
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

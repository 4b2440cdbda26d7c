import type { ConditionType, StopCondition } from './condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES, type FieldKind, isConditionType } from './condition-catalog.js';
import { DURATION_EXAMPLES, parseDuration } from './duration.js';
import { ConfigError, type Issue } from './errors.js';
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
    return { problem: `a condition has one name, found ${names.length === 0 ? 'none' : names.join(', ')}` };
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
    say(`${type} has no field "${clip(name)}"${didYouMean(name, allowed)} (it takes ${takes})`, join(path, name));
  }
  for (const [name, field] of Object.entries(info.fields)) {
    const value = fields[name];
    if (value === undefined) {
      if (field.optional === undefined) say(`${type} needs ${name}: ${RULES[field.kind].allowed}`, join(path, name));
      continue;
    }
    if (field.kind === 'condition') result[name] = readNode(value, join(path, name), depth + 1, reading);
    else if (field.kind === 'conditions') result[name] = readList(value, join(path, name), depth, reading);
    else if (RULES[field.kind].accepts(value)) result[name] = value;
    else say(`must be ${RULES[field.kind].allowed}, not ${show(value)}`, join(path, name));
  }
  readCommon(fields, result, path, reading);
  checkTogether(type, result, path, say);
  return result;
}

function readList(value: unknown, path: string, depth: number, reading: Reading): unknown {
  if (!Array.isArray(value) || value.length === 0) {
    return void reading.issues.push({ path, message: `must be ${RULES.conditions.allowed}, not ${show(value)}` });
  }
  return value.map((entry, index) => readNode(entry, `${path}[${index}]`, depth + 1, reading));
}

function readCommon(fields: Fields, result: Fields, path: string, reading: Reading): void {
  const { class: stopClass, confirm } = fields;
  if (stopClass === 'goal' || stopClass === 'failure') result['class'] = stopClass;
  else if (stopClass !== undefined) {
    reading.issues.push({ path: join(path, 'class'), message: `must be "goal" or "failure", not ${show(stopClass)}` });
  }
  if (confirm === undefined) return;
  if (RULES.count.accepts(confirm)) result['confirm'] = confirm;
  else
    reading.issues.push({
      path: join(path, 'confirm'),
      message: `must be ${RULES.count.allowed}, not ${show(confirm)}`,
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

interface Rule {
  readonly allowed: string;
  readonly accepts: (value: unknown) => boolean;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isTexts = (value: unknown) => Array.isArray(value) && value.every((entry) => typeof entry === 'string');

/** The rule of each kind of field; the schema says the same in JSON Schema's words. */
const RULES: Readonly<Record<FieldKind, Rule>> = {
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
      !Number.isNaN(Date.parse(value)),
  },
  percent: { allowed: 'a percentage from 0 to 100', accepts: (value) => isNumber(value) && value >= 0 && value <= 100 },
  rate: { allowed: 'a part from 0 to 1', accepts: (value) => isNumber(value) && value >= 0 && value <= 1 },
  text: { allowed: 'a text that is not empty', accepts: isText },
  path: { allowed: 'a path', accepts: (value) => isText(value) && !value.includes('\0') },
  texts: {
    allowed: 'a list of at least one text',
    accepts: (value) => isTexts(value) && (value as string[]).length > 0 && (value as string[]).every(isText),
  },
  arguments: { allowed: 'a list of texts', accepts: isTexts },
  flag: { allowed: 'true or false', accepts: (value) => typeof value === 'boolean' },
  allow: { allowed: '"allow"', accepts: (value) => value === 'allow' },
  condition: { allowed: 'a condition', accepts: () => true },
  conditions: { allowed: 'a list of at least one condition', accepts: () => true },
};

function common(input: Fields): Fields {
  return Object.fromEntries(COMMON_FIELDS.filter((name) => name in input).map((name) => [name, input[name]]));
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function join(path: string, field: string): string {
  return `${path}.${field}`;
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

function show(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'this list';
  if (isRecord(value)) return 'a mapping';
  return clip(JSON.stringify(value) ?? String(value));
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

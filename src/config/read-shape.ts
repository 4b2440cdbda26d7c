import type { PolicyList } from '../model/policy.js';
import {
  type LeafKind,
  leafRule,
  type Shape,
  type Keys,
  type NameRule,
  type ListEntry,
  type ValuesOf,
} from './shape.js';
import { readCondition } from '../model/parse-condition.js';
import type { Issue } from '../model/errors.js';
import { field } from '../model/fields.js';
import { itemPath, keyPath, allowedBy } from '../model/read-value.js';
import { clip, isRecord, showValue } from '../model/show-value.js';
import { didYouMean } from '../model/nearest.js';
import { CONFIG_KEYS, type ConfigValues } from './config-shape.js';
import { DEFAULT_LIMIT } from './default-policy.js';
import { type ConditionPlace, conditionIssues } from './condition-place.js';

/** How keys are spelled: in files as in the table, in code in camelCase. */
type Spelling = 'snake' | 'camel';

interface ReadOptions {
  readonly spelling: Spelling;
  readonly issues: Issue[];
  /** What the conditions are for; a loop unless it says so. */
  readonly where?: ConditionPlace | undefined;
  /** It comes from the record of a run, in which conditions that were given in code have names. */
  readonly isRecorded?: boolean | undefined;
}

/** Enough to see what is going on; a file of nonsense does not print a page per line. */
export const MOST_ISSUES = 100;

/** Reads an untrusted config; what is wrong goes to the issues, with the key as it was spelled. */
export function readConfigValues(input: unknown, options: ReadOptions): ConfigValues {
  if (input === undefined || input === null) return {};
  return readKeys(CONFIG_KEYS, input, '', options) ?? {};
}

/** Reads an untrusted mapping that another table describes. */
export function readValues<const K extends Keys>(keys: K, input: unknown, options: ReadOptions): Partial<ValuesOf<K>> {
  if (input === undefined || input === null) return {};
  return readKeys(keys, input, '', options) ?? {};
}

function readShape(shape: Shape, input: unknown, path: string, options: ReadOptions): unknown {
  switch (shape.kind) {
    case 'leaf':
      return readLeaf(shape.of, input, path, options);
    case 'choice':
      if (shape.of.includes(input as string)) return input;
      return refuse(options, path, `must be ${oneOf(shape.of)}, not ${showValue(input)}${near(input, shape.of)}`);
    case 'conditions':
      return readConditions(shape.list, input, path, options);
    case 'mapping':
      return input === null ? {} : readKeys(shape.keys, input, path, options);
    case 'named':
      return input === null ? {} : readNamed(shape.names, shape.of, input, path, options);
    case 'short-form':
      return readShortForm(shape, input, path, options);
    default:
      return shape satisfies never;
  }
}

function readLeaf(kind: LeafKind, input: unknown, path: string, options: ReadOptions): unknown {
  const rule = leafRule(kind);
  if (rule.accepts(input)) return input;
  if (typeof input === 'string' && input.includes('\0')) return refuse(options, path, 'must not hold a NUL');
  const shown = rule.secret === true ? '' : `, not ${showValue(input)}`;
  return refuse(options, path, `must be ${rule.allowed}${shown}`);
}

function readKeys(keys: Keys, input: unknown, path: string, options: ReadOptions): unknown {
  if (!isRecord(input)) return refuse(options, path, `must be a mapping of keys to values, not ${showValue(input)}`);
  const byName = new Map(Object.keys(keys).map((key) => [spell(key, options.spelling), key]));
  const result: [string, unknown][] = [];
  for (const [name, value] of Object.entries(input)) {
    if (options.issues.length > MOST_ISSUES) break;
    const key = byName.get(name);
    const definition = key === undefined ? undefined : keys[key];
    if (key === undefined || definition === undefined) sayUnknown(name, [...byName.keys()], path, options);
    else if (value !== undefined) {
      const read = readShape(definition.shape, value, keyPath(path, name), options);
      if (read !== undefined) result.push([key, read]);
    }
  }
  for (const [name, key] of byName) {
    if (keys[key]?.required === true && input[name] === undefined) refuse(options, path, `needs ${name}`);
  }
  return Object.fromEntries(result);
}

/** Names of spec 104, and what they are called here. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  success_conditions: 'stop.success',
  successConditions: 'stop.success',
  failure_conditions: 'stop.failure',
  failureConditions: 'stop.failure',
};

function sayUnknown(name: string, known: readonly string[], path: string, options: ReadOptions): void {
  const other = Object.hasOwn(OTHER_NAMES, name) ? `; it is called ${OTHER_NAMES[name]}` : undefined;
  const suggestion = other ?? didYouMean(name, known);
  const rest = suggestion === '' ? `; there are ${known.join(', ')}` : suggestion;
  options.issues.push({ path: keyPath(path, name), message: `unknown key${rest}`, unknownKey: true });
}

function readNamed(names: NameRule, shape: Shape, input: unknown, path: string, options: ReadOptions): unknown {
  if (!isRecord(input)) return refuse(options, path, `must be a mapping of names to values, not ${showValue(input)}`);
  const result: [string, unknown][] = [];
  for (const [name, value] of Object.entries(input)) {
    if (options.issues.length > MOST_ISSUES) break;
    const at = keyPath(path, name);
    if (!names.pattern.test(name)) {
      options.issues.push({ path: at, message: `a name here is ${names.allowed}`, unknownKey: true });
    } else if (value !== undefined) result.push([name, readShape(shape, value, at, options)]);
  }
  return Object.fromEntries(result);
}

function readShortForm(
  shape: Extract<Shape, { kind: 'short-form' }>,
  input: unknown,
  path: string,
  options: ReadOptions,
): unknown {
  if (isRecord(input)) return readKeys(shape.keys, input, path, options);
  const short = shape.keys[shape.short]?.shape;
  if (short?.kind !== 'leaf') throw new TypeError(`the short form of ${path} is not a single value`);
  const rule = leafRule(short.of);
  if (rule.accepts(input)) return { [shape.short]: input };
  return refuse(options, path, `must be ${rule.allowed}, or a mapping, not ${showValue(input)}`);
}

function readConditions(list: PolicyList, input: unknown, path: string, options: ReadOptions): unknown {
  if (!Array.isArray(input)) {
    return refuse(options, path, `must be a list of conditions ([] for none), not ${showValue(input)}`);
  }
  const entries: ListEntry[] = [];
  for (const [index, item] of input.entries()) {
    if (options.issues.length > MOST_ISSUES) break;
    const entry = readEntry(list, item, itemPath(path, index), options);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** One condition of a list, in full or in shorthand. */
export function readEntry(list: PolicyList, input: unknown, path: string, options: ReadOptions): ListEntry | undefined {
  if (list === 'limits' && asksForNoIterationLimit(input)) return { path, condition: 'no-iteration-limit' };
  const { condition, issues } = readCondition(input, path);
  options.issues.push(...(list === 'limits' ? issues.map((issue) => allowingNone(issue, input, path)) : issues));
  if (condition === undefined) return undefined;
  options.issues.push(
    ...conditionIssues(condition, list, path, {
      fromCode: options.spelling === 'camel' || options.isRecorded === true,
      where: options.where,
      isRecorded: options.isRecorded,
    }),
  );
  return { path, condition };
}

/** In a list of limits `max_iterations` may also be 0; the rule of its field does not know that. */
function allowingNone(issue: Issue, input: unknown, path: string): Issue {
  const isLimit = isRecord(input) && (input['type'] === DEFAULT_LIMIT.type || Object.hasOwn(input, DEFAULT_LIMIT.type));
  const isCount = /^(?:\.max_iterations)?(?:\.count)?$/.test(issue.path.slice(path.length));
  if (!isLimit || !isCount) return issue;
  return { ...issue, message: issue.message.replace(allowedBy(field.count), leafRule('count-or-none').allowed) };
}

function asksForNoIterationLimit(input: unknown): boolean {
  if (!isRecord(input)) return false;
  const { type, ...rest } = input;
  const fields = type === undefined ? rest[DEFAULT_LIMIT.type] : type === DEFAULT_LIMIT.type ? rest : undefined;
  const others = Object.keys(rest).length - 1;
  return (
    others === 0 && (fields === 0 || (isRecord(fields) && fields['count'] === 0 && Object.keys(fields).length === 1))
  );
}

/** `state_dir` as files have it, `stateDir` as code has it. */
export function spell(key: string, spelling: Spelling): string {
  return spelling === 'snake' ? key : key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function oneOf(choices: readonly string[]): string {
  const last = choices.at(-1) ?? '';
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(', ')} or ${last}`;
}

function near(input: unknown, choices: readonly string[]): string {
  return typeof input === 'string' ? didYouMean(clip(input), choices) : '';
}

function refuse(options: ReadOptions, path: string, message: string): undefined {
  options.issues.push({ path, message });
  return undefined;
}

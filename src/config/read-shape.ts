import * as z from 'zod/mini';
import type { Issue } from '../model/errors.js';
import { field } from '../model/fields.js';
import { didYouMean } from '../model/nearest.js';
import { readCondition } from '../model/parse-condition.js';
import type { PolicyList } from '../model/policy.js';
import { allowedBy, type Fault, itemPath, keyPath, pathInside, readValue } from '../model/read-value.js';
import { isRecord } from '../model/show-value.js';
import { type ConditionPlace, conditionIssues } from './condition-place.js';
import { CONFIG, type ConfigValues } from './config-shape.js';
import { DEFAULT_LIMIT } from './default-policy.js';
import { given, keysOf, leaf, type ListEntry, listOf, valuesOf } from './shape.js';

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

let inCode: z.ZodMiniType | undefined;

/** Reads an untrusted config; what is wrong goes to the issues, with the key as it was spelled. */
export function readConfigValues(input: unknown, options: ReadOptions): ConfigValues {
  if (options.spelling === 'snake') return readValues(CONFIG, input, options);
  inCode ??= camelCased(CONFIG);
  const read = readKeys(inCode, input, options);
  return readLists(CONFIG, snakeCased(CONFIG, read), '', options) as ConfigValues;
}

/** Reads an untrusted mapping by its schema; what is wrong is left out. */
export function readValues<T extends object>(
  schema: z.ZodMiniType<T>,
  input: unknown,
  options: ReadOptions,
): Partial<T> {
  return readLists(schema, readKeys(schema, input, options), '', options) as Partial<T>;
}

function readKeys(schema: z.ZodMiniType, input: unknown, { issues }: ReadOptions): unknown {
  if (input === undefined || input === null) return {};
  const { value = {}, faults } = readValue(schema, input);
  for (const fault of faults.slice(0, MOST_ISSUES + 1)) issues.push(issueOf(fault, input));
  return value;
}

/** Names of spec 104, and what they are called here. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  success_conditions: 'stop.success',
  successConditions: 'stop.success',
  failure_conditions: 'stop.failure',
  failureConditions: 'stop.failure',
};

function issueOf({ kind, path: steps, message, known }: Fault, input: unknown): Issue {
  const name = String(steps.at(-1));
  const path = pathInside('', steps);
  switch (kind) {
    case 'unknown-key': {
      const other = Object.hasOwn(OTHER_NAMES, name) ? `; it is called ${OTHER_NAMES[name]}` : didYouMean(name, known);
      return { path, message: `unknown key${other || `; known keys: ${known.join(', ')}`}`, unknownKey: true };
    }
    case 'wrong-name':
      return { path, message, unknownKey: true };
    case 'missing':
      return { path: pathInside('', steps.slice(0, -1)), message: `needs ${name}` };
    case 'wrong': {
      const written = stepsIn(input, steps);
      if (written.length === steps.length) return { path, message };
      // One value represents the mapping.
      return {
        path: pathInside('', written),
        message: message.replace(/(?<=^must be .*)(?=, not |$)/, ', or a mapping'),
      };
    }
    default:
      return kind satisfies never;
  }
}

/** As far as the steps lead into a value. */
function stepsIn(value: unknown, [step, ...rest]: Fault['path']): Fault['path'] {
  if (step === undefined) return [];
  if (Array.isArray(value) && typeof step === 'number') return [step, ...stepsIn(value[step], rest)];
  return isRecord(value) ? [step, ...stepsIn(value[step], rest)] : [];
}

/** The same with the conditions of its lists in place of what was written there. */
function readLists(schema: z.core.$ZodType, value: unknown, path: string, options: ReadOptions): unknown {
  const list = listOf(schema);
  if (list !== undefined && Array.isArray(value)) {
    return value.flatMap((item, index) => {
      if (options.issues.length > MOST_ISSUES) return [];
      return readEntry(list, item, itemPath(path, index), options) ?? [];
    });
  }
  const keys = keysOf(schema);
  if (keys === undefined || !isRecord(value)) return value;
  return mapEntries(value, (name, one) => {
    const key = keys[name];
    return [name, key === undefined ? one : readLists(key, one, keyPath(path, name), options)];
  });
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
  return { ...issue, message: issue.message.replace(allowedBy(field.count), allowedBy(leaf.countOrNone)) };
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
export function camelKey(key: string): string {
  return key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** The schema with the keys as code spells them. */
function camelCased(schema: z.core.$ZodType): z.ZodMiniType {
  const { def } = schema._zod;
  switch (def.type) {
    case 'optional':
      return z.optional(camelCased(given(schema)));
    case 'pipe': {
      const { in: first, out } = def as z.core.$ZodPipeDef;
      return z.pipe(first, camelCased(out));
    }
    case 'object': {
      const { shape, error } = def as z.core.$ZodObjectDef;
      return z.strictObject(
        mapEntries(shape, (name, one) => [camelKey(name), camelCased(one)]),
        { error: error as never },
      );
    }
    case 'record': {
      const { keyType, valueType, error } = def as z.core.$ZodRecordDef;
      return z.record(keyType, camelCased(valueType), { error: error as never });
    }
    default:
      return schema as z.ZodMiniType;
  }
}

/** A value that was read by the schema for code, with the keys of files. */
function snakeCased(schema: z.core.$ZodType, value: unknown): unknown {
  if (!isRecord(value)) return value;
  const keys = keysOf(schema);
  const values = valuesOf(schema);
  if (values !== undefined) return mapEntries(value, (name, one) => [name, snakeCased(values, one)]);
  if (keys === undefined) return value;
  const present = Object.entries(keys).filter(([name]) => value[camelKey(name)] !== undefined);
  return Object.fromEntries(present.map(([name, one]) => [name, snakeCased(one, value[camelKey(name)])]));
}

function mapEntries<T, U>(
  record: Readonly<Record<string, T>>,
  map: (name: string, value: T) => readonly [string, U],
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => map(name, value)));
}

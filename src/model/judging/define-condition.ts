import * as z from 'zod/mini';
import { ConfigError, type Issue } from '../errors.js';
import { field, kindOf, must, optional } from '../fields.js';
import { deepFreeze } from '../json.js';
import type { AnyCondition, ConditionDefinition, Fields, Whole } from './condition-definition.js';
import { clip } from '../show-value.js';
import { didYouMean } from '../nearest.js';
import { regexProblem } from '../pattern.js';
import { type Fault, itemPath, pathInside, readValue } from '../read-value.js';

/** The values of these fields. @internal */
export type ValuesOf<F extends Fields> = [keyof F] extends [never]
  ? unknown
  : Flat<Readonly<z.output<z.ZodMiniObject<F>>>>;

/** One type in place of an intersection, as people read it. */
type Flat<T> = { [N in keyof T]: T[N] };

type ShapeOf<T extends string, V> = Flat<{ readonly type: T } & V>;

/** Known to the compiler, so that it can refuse such a condition where there is no directory. */
export interface NeedsDirectory {
  readonly needsDirectory: true;
}

/** Makes conditions of one type. */
export interface Factory<T extends string, V, A extends readonly unknown[], D> {
  (...given: A): Whole<ShapeOf<T, V>>;
  readonly definition: ConditionDefinition<ShapeOf<T, V>> & (D extends true ? NeedsDirectory : unknown);
}

/** Defines a condition, and gives its factory. `make` turns the arguments of the factory into the fields. @internal */
export function defineCondition<
  const T extends string,
  F extends Fields,
  A extends readonly unknown[],
  const D extends true | undefined = undefined,
>({
  make,
  ...definition
}: ConditionDefinition<ShapeOf<T, ValuesOf<F>>> & {
  readonly type: T;
  readonly fields: F;
  readonly make: (...given: A) => Partial<ValuesOf<F>>;
  readonly needsDirectory?: D;
}): Factory<T, ValuesOf<F>, A, D> {
  const factory = (...given: A) => build<ShapeOf<T, ValuesOf<F>>>(definition, make(...given));
  return Object.assign(factory, { definition }) as Factory<T, ValuesOf<F>, A, D>;
}

/** A checked, frozen condition: a mistake is a ConfigError at once, not a limit that never holds. */
export function build<C extends AnyCondition>(definition: ConditionDefinition<C>, fields: object): Whole<C> {
  const issues: Issue[] = [];
  const condition = readFields(
    definition,
    { ...fields },
    {
      path: definition.type,
      issues,
      isOutermost: true,
      readInner: (inner) => inner,
    },
  );
  if (issues.length > 0) throw new ConfigError(issues);
  return deepFreeze(condition) as unknown as Whole<C>;
}

export type GivenFields = Record<string, unknown>;

/** What an outermost condition may have besides its own fields. @internal */
export const COMMON = {
  class: optional(z.enum(['goal', 'failure'], must('"goal" or "failure"'))).check(
    z.describe('Its class in a neutral list.'),
  ),
  confirm: optional(field.count).check(z.describe('How many times this goal is checked before it counts.')),
};

/** @internal */
export const COMMON_FIELDS = Object.keys(COMMON) as readonly (keyof typeof COMMON)[];

/** They are about a condition as a whole: inside another one they would have no effect, and that would not be noticed. */
const NOT_INSIDE = Object.fromEntries(
  COMMON_FIELDS.map((name) => [name, optional(z.never(`${name} belongs to the outermost condition`))]),
);

interface FieldReading {
  readonly path: string;
  readonly issues: Issue[];
  /** It is not inside another condition. */
  readonly isOutermost: boolean;
  readonly readInner: (value: unknown, path: string) => unknown;
}

/** Reads the fields of one condition by its definition; adds every issue that it finds. */
export function readFields<C extends AnyCondition>(
  { type, fields: known, needsOneOf, checkFields }: ConditionDefinition<C>,
  fields: GivenFields,
  { path, issues, isOutermost, readInner }: FieldReading,
): GivenFields {
  const { value = {}, faults } = readValue<GivenFields>(schemaOf(known, isOutermost), fields);
  for (const fault of faults) issues.push({ ...issueOf(fault, type, known), path: pathInside(path, fault.path) });
  const result: GivenFields = { type };
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    result[name] = inner;
    const kind = kindOf(known[name]);
    if (kind === 'condition') result[name] = readInner(inner, `${path}.${name}`);
    if (kind === 'conditions') {
      result[name] = (inner as unknown[]).map((entry, index) => readInner(entry, itemPath(`${path}.${name}`, index)));
    }
  }
  if (needsOneOf?.every((name) => result[name] === undefined) === true)
    issues.push({ path, message: `${type} needs ${needsOneOf.join(', ')} or both` });
  const problem = checkFields?.(result as Partial<C>, regexProblem);
  if (problem !== undefined) issues.push({ path: `${path}.${problem.field}`, message: problem.message });
  return result;
}

const OUTERMOST = new WeakMap<Fields, z.ZodMiniType<GivenFields>>();
const INSIDE = new WeakMap<Fields, z.ZodMiniType<GivenFields>>();

/** Made when the first condition of a type is read: making it takes ten times as long as reading. */
function schemaOf(fields: Fields, isOutermost: boolean): z.ZodMiniType<GivenFields> {
  const made = isOutermost ? OUTERMOST : INSIDE;
  const schema = made.get(fields) ?? z.strictObject({ ...fields, ...(isOutermost ? COMMON : NOT_INSIDE) });
  made.set(fields, schema);
  return schema;
}

function issueOf({ kind, path, message, known }: Fault, type: string, fields: Fields): Omit<Issue, 'path'> {
  const name = String(path[0]);
  if (kind === 'missing') return { message: `${type} needs ${name}: ${message}` };
  if (kind !== 'unknown-key') return { message };
  const takes = Object.keys(fields).join(', ') || 'nothing';
  return {
    message: `${type} has no field "${clip(name)}"${didYouMean(name, known)} (it takes ${takes})`,
    unknownKey: true,
  };
}

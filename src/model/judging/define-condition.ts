import { ConfigError, type Issue } from '../errors.js';
import { deepFreeze } from '../json.js';
import type {
  AnyCondition,
  ConditionDefinition,
  FieldInfo,
  FieldKind,
  FieldValues,
  Whole,
} from './condition-definition.js';
import { clip, FIELD_RULES, showValue } from '../field-rules.js';
import { didYouMean } from '../nearest.js';
import { regexProblem } from '../pattern.js';

export const need = <K extends FieldKind>(kind: K) => ({ kind }) as const;
export const may = <K extends FieldKind>(kind: K) => ({ kind, optional: true }) as const;

type Fields = Readonly<Record<string, FieldInfo>>;

type OptionalOf<F extends Fields> = {
  [N in keyof F]: F[N] extends { readonly optional: true } ? N : never;
}[keyof F];

type ValueOf<F extends FieldInfo> = FieldValues[F['kind']];

/** The values of these fields. */
export type ValuesOf<F extends Fields> = {
  readonly [N in Exclude<keyof F, OptionalOf<F>>]: ValueOf<F[N]>;
} & { readonly [N in OptionalOf<F>]?: ValueOf<F[N]> | undefined };

/** One type in place of an intersection, as people read it. */
type Flat<T> = { [N in keyof T]: T[N] };

type ShapeOf<T extends string, F extends Fields> = Flat<{ readonly type: T } & ValuesOf<F>>;

/** Known to the compiler, so that it can refuse such a condition where there is no directory. */
export interface NeedsDirectory {
  readonly needsDirectory: true;
}

/** Makes conditions of one type. */
export interface Factory<T extends string, F extends Fields, A extends readonly unknown[], D> {
  (...given: A): Whole<ShapeOf<T, F>>;
  readonly definition: ConditionDefinition<ShapeOf<T, F>> & (D extends true ? NeedsDirectory : unknown);
}

/** Defines a condition, and gives its factory. `make` turns the arguments of the factory into the fields. */
export function defineCondition<
  const T extends string,
  F extends Fields,
  A extends readonly unknown[],
  const D extends true | undefined = undefined,
>({
  make,
  ...definition
}: ConditionDefinition<ShapeOf<T, F>> & {
  readonly type: T;
  readonly fields: F;
  readonly make: (...given: A) => Partial<ValuesOf<F>>;
  readonly needsDirectory?: D;
}): Factory<T, F, A, D> {
  const factory = (...given: A) => build<ShapeOf<T, F>>(definition, make(...given));
  return Object.assign(factory, { definition }) as Factory<T, F, A, D>;
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

export const COMMON_FIELDS = ['class', 'confirm'] as const;

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
  reading: FieldReading,
): GivenFields {
  const { path, issues, isOutermost } = reading;
  const at = (name: string) => `${path}.${name}`;
  const result: GivenFields = { type };
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
function refuseCommon(fields: GivenFields, { path, issues }: FieldReading): void {
  for (const name of COMMON_FIELDS.filter((common) => fields[common] !== undefined)) {
    issues.push({ path: `${path}.${name}`, message: `${name} belongs to the outermost condition` });
  }
}

function readCommon(fields: GivenFields, result: GivenFields, { path, issues }: FieldReading): void {
  const { class: stopClass, confirm } = fields;
  const refuse = (name: string, allowed: string, value: unknown) =>
    issues.push({ path: `${path}.${name}`, message: `must be ${allowed}, not ${showValue(value)}` });
  if (stopClass === 'goal' || stopClass === 'failure') result['class'] = stopClass;
  else if (stopClass !== undefined) refuse('class', '"goal" or "failure"', stopClass);
  if (confirm === undefined) return;
  if (FIELD_RULES.count.accepts(confirm)) result['confirm'] = confirm;
  else refuse('confirm', FIELD_RULES.count.allowed, confirm);
}

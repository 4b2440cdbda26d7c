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
import { readFields } from './read-fields.js';

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

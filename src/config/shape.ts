import type { StopCondition } from '../model/condition.js';
import type { Json } from '../model/json.js';
import type { PolicyList } from '../model/policy.js';
import type { LeafKind } from './leaf-rule.js';

/** What may stand at a key. Validation, schema and merging all read it. */
export type Shape =
  | { readonly kind: 'leaf'; readonly of: LeafKind }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'conditions'; readonly list: PolicyList }
  | { readonly kind: 'mapping'; readonly keys: Keys }
  | { readonly kind: 'named'; readonly names: NameRule; readonly of: Shape }
  /** A mapping, or one value that stands for its `short` key. */
  | { readonly kind: 'short-form'; readonly short: string; readonly keys: Keys };

export interface Key<S extends Shape = Shape> {
  readonly shape: S;
  readonly about: string;
  readonly default?: Json;
  readonly required?: true;
}

export type Keys = Readonly<Record<string, Key>>;

/** What the names of a mapping with free names may be. */
export interface NameRule {
  readonly allowed: string;
  readonly pattern: RegExp;
}

/** An entry of a list of conditions: `max_iterations: 0` is no condition but the wish for no such limit. */
export interface ListEntry {
  /** Where it was written, such as `stop.limits[0]`. */
  readonly path: string;
  readonly condition: StopCondition | 'no-iteration-limit';
}

interface LeafValues extends Record<LeafKind, unknown> {
  'count-or-none': number;
  'inner-path': string;
  count: number;
  usd: number;
  duration: string;
  delay: string | 0;
  time: string;
  percent: number;
  rate: number;
  price: number;
  text: string;
  path: string;
  command: string;
  variable: string;
  model: string;
  'web-address': string;
  words: string | readonly string[];
  texts: readonly string[];
  'any-texts': readonly string[];
  arguments: readonly string[];
  flag: boolean;
  'field-path': string | readonly string[];
  'many-path': string | readonly string[];
  literals: Literal | readonly Literal[];
  signals: readonly ('SIGINT' | 'SIGTERM')[];
  items: object;
}

type Literal = string | number | boolean;

/** The value that a shape lets through; a short form has become its mapping. */
export type ValueOf<S> = S extends { kind: 'leaf'; of: infer L extends LeafKind }
  ? LeafValues[L]
  : S extends { kind: 'choice'; of: readonly (infer T)[] }
    ? T
    : S extends { kind: 'conditions' }
      ? readonly ListEntry[]
      : S extends { kind: 'named'; of: infer Inner }
        ? Readonly<Record<string, ValueOf<Inner>>>
        : S extends { keys: infer K }
          ? ValuesOf<K>
          : never;

export type ValuesOf<K> = {
  readonly [P in keyof K as K[P] extends { required: true } ? P : never]: K[P] extends Key<infer S>
    ? ValueOf<S>
    : never;
} & {
  readonly [P in keyof K as K[P] extends { required: true } ? never : P]?: K[P] extends Key<infer S>
    ? ValueOf<S> | undefined
    : never;
};

export const leaf = <const L extends LeafKind>(of: L) => ({ kind: 'leaf', of }) as const;
export const choice = <const T extends readonly string[]>(...of: T) => ({ kind: 'choice', of }) as const;
export const conditions = (list: PolicyList) => ({ kind: 'conditions', list }) as const;
export const mapping = <const K extends Keys>(keys: K) => ({ kind: 'mapping', keys }) as const;
export const named = <const S extends Shape>(names: NameRule, of: S) => ({ kind: 'named', names, of }) as const;
export const shortForm = <const K extends Keys>(short: keyof K & string, keys: K) =>
  ({ kind: 'short-form', short, keys }) as const;

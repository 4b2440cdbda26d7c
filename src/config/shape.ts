import type { StopCondition } from '../model/condition.js';
import { DURATION_EXAMPLES, DURATION_SHAPE, parseDuration } from '../model/duration.js';
import { FIELD_PATH, MANY_PATH } from '../model/field-path.js';
import { field, type FieldKind } from '../model/fields.js';
import { allowedBy, readValue } from '../model/read-value.js';
import type { Json } from '../model/json.js';
import type { PolicyList } from '../model/policy.js';
import { splitCommand } from './split-command.js';

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
type ValueOf<S> = S extends { kind: 'leaf'; of: infer L extends LeafKind }
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

export type JsonSchema = { readonly [key: string]: Json | undefined };

/** The kinds of a condition's fields that stand for one value, and what only the config has. */
type ModelKind = Exclude<FieldKind, 'condition' | 'conditions' | 'allow' | 'opinion'>;
type ConfigKind =
  | 'inner-path'
  | 'count-or-none'
  | 'delay'
  | 'price'
  | 'command'
  | 'words'
  | 'any-texts'
  | 'variable'
  | 'model'
  | 'web-address'
  | 'field-path'
  | 'many-path'
  | 'literals'
  | 'signals'
  | 'items';
export type LeafKind = ModelKind | ConfigKind;

interface LeafRule {
  readonly allowed: string;
  readonly accepts: (value: unknown) => boolean;
  readonly schema: JsonSchema;
  /** The value may be a secret: a message never shows it. */
  readonly secret?: true;
}

const WHOLE = { type: 'integer', maximum: Number.MAX_SAFE_INTEGER } as const;
const TEXT = { type: 'string', minLength: 1 } as const;

/** JSON Schema's words for the kinds of field that conditions have. */
export const FIELD_SCHEMAS: Readonly<Record<Exclude<FieldKind, 'condition' | 'conditions'>, JsonSchema>> = {
  count: { ...WHOLE, minimum: 1 },
  usd: { type: 'number', exclusiveMinimum: 0 },
  duration: { type: 'string', pattern: DURATION_SHAPE.source, examples: ['90s', '4h', '1h 30m'] },
  time: { type: 'string', examples: ['2026-01-31T06:00:00Z'] },
  percent: { type: 'number', minimum: 0, maximum: 100 },
  rate: { type: 'number', minimum: 0, maximum: 1 },
  number: { type: 'number' },
  amount: { type: 'number', minimum: 0 },
  direction: { enum: ['higher', 'lower'] },
  text: TEXT,
  path: TEXT,
  texts: { type: 'array', minItems: 1, items: TEXT },
  arguments: { type: 'array', items: { type: 'string' } },
  flag: { type: 'boolean' },
  allow: { const: 'allow' },
  opinion: { enum: ['blocked', 'stuck'] },
  model: { type: ['string', 'object'] },
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && !value.includes('\0');
const isOf = (kind: FieldKind, value: unknown) => readValue<unknown>(field[kind], value).faults.length === 0;
const isWholeFrom0 = (value: unknown) => value === 0 || isOf('count', value);

/** Relative, and without a step upwards. */
const INNER_PATH = /^(?!\/)(?!(?:[\s\S]*\/)?\.\.(?:\/|$))[\s\S]+$/;

const isOneOrMore = (value: unknown, accepts: (one: unknown) => boolean) =>
  Array.isArray(value) ? value.length > 0 && value.every(accepts) : accepts(value);
const oneOrMore = (schema: JsonSchema): JsonSchema => ({
  anyOf: [schema, { type: 'array', minItems: 1, items: schema }],
});

const pathRule = (pattern: RegExp, example: string): LeafRule => ({
  allowed: `a path into the line, such as ${example}, or a list of paths, of which the first that exists is used`,
  accepts: (value) => isOneOrMore(value, (one) => typeof one === 'string' && pattern.test(one)),
  schema: oneOrMore({ type: 'string', pattern: pattern.source, examples: [example] }),
});

const isLiteral = (value: unknown) =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
const SIGNALS = ['SIGINT', 'SIGTERM'];

const itemSource = (keys: Readonly<Record<string, JsonSchema>>, required: string): JsonSchema => ({
  type: 'object',
  properties: keys,
  required: [required],
  additionalProperties: false,
});
const ITEM_ID = { type: ['string', 'number'] } as const;
const ITEMS_SCHEMA: JsonSchema = {
  anyOf: [
    {
      type: 'array',
      minItems: 1,
      items: { anyOf: [ITEM_ID, { type: 'object', properties: { id: ITEM_ID }, required: ['id'] }] },
    },
    itemSource({ glob: TEXT }, 'glob'),
    itemSource({ file: TEXT, id: TEXT }, 'file'),
    itemSource({ command: TEXT, id: TEXT, timeout: FIELD_SCHEMAS.duration }, 'command'),
  ],
};

const CONFIG_RULES: Readonly<Record<ConfigKind, LeafRule>> = {
  'count-or-none': {
    allowed: 'a whole number of at least 1, or 0 for none',
    accepts: isWholeFrom0,
    schema: { ...WHOLE, minimum: 0 },
  },
  delay: {
    allowed: `0 or a duration with units, such as ${DURATION_EXAMPLES}`,
    accepts: (value) => value === 0 || (typeof value === 'string' && parseDuration(value) !== undefined),
    schema: { anyOf: [{ const: 0 }, FIELD_SCHEMAS.duration] },
  },
  price: {
    allowed: 'US dollars per million tokens, 0 or more',
    accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
    schema: { type: 'number', minimum: 0 },
  },
  'inner-path': {
    allowed: 'a path or glob inside the working directory, relative to it',
    accepts: (value) => isText(value) && INNER_PATH.test(value),
    schema: { ...TEXT, pattern: INNER_PATH.source },
  },
  command: { allowed: 'a command line', accepts: isText, schema: TEXT },
  words: {
    allowed: 'a program with its arguments, as a list or as one text without shell syntax',
    accepts: (value) =>
      typeof value === 'string'
        ? splitCommand(value) !== undefined
        : isOf('arguments', value) && isText((value as string[])[0]),
    schema: { anyOf: [TEXT, { type: 'array', minItems: 1, items: { type: 'string' } }] },
  },
  'any-texts': {
    allowed: 'a list of texts, none of them empty',
    accepts: (value) => Array.isArray(value) && value.every(isText),
    schema: { type: 'array', items: TEXT },
  },
  variable: {
    allowed: 'a text; put quotes around a number',
    accepts: (value) => typeof value === 'string' && !value.includes('\0'),
    schema: { type: 'string' },
    secret: true,
  },
  model: {
    allowed: 'a model name that does not begin with "-", which the agent would take for an option',
    accepts: (value) => isText(value) && !/^\s*-/.test(value),
    schema: { ...TEXT, pattern: '^(?!\\s*-)' },
  },
  'web-address': {
    allowed: 'an address that begins with http:// or https://',
    accepts: (value) => typeof value === 'string' && /^https?:\/\/\S+$/.test(value) && URL.canParse(value),
    schema: { type: 'string', pattern: '^https?://\\S+$' },
    secret: true,
  },
  'field-path': pathRule(FIELD_PATH, 'message.id'),
  'many-path': pathRule(MANY_PATH, 'message.content[*].text'),
  literals: {
    allowed: 'a text, a number, true or false, or a list of them',
    accepts: (value) => isOneOrMore(value, isLiteral),
    schema: oneOrMore({ type: ['string', 'number', 'boolean'] }),
  },
  signals: {
    allowed: 'a list of SIGINT and SIGTERM',
    accepts: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((one) => SIGNALS.includes(one as string)),
    schema: { type: 'array', minItems: 1, items: { enum: SIGNALS } },
  },
  // What stands in it is read one by one, so that each entry has its place.
  items: {
    allowed: 'a list of items, or one of { glob }, { file } and { command }',
    accepts: (value) => typeof value === 'object' && value !== null,
    schema: ITEMS_SCHEMA,
  },
};

/** What may stand at a key that holds one value, in words, as a test and as a schema. */
export function leafRule(kind: LeafKind): LeafRule {
  if (isConfigKind(kind)) return CONFIG_RULES[kind];
  return { allowed: allowedBy(field[kind]), accepts: (value) => isOf(kind, value), schema: FIELD_SCHEMAS[kind] };
}

function isConfigKind(kind: LeafKind): kind is ConfigKind {
  return Object.hasOwn(CONFIG_RULES, kind);
}

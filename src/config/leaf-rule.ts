import type { FieldKind } from '../model/judging/condition-definition.js';
import { DURATION_EXAMPLES, DURATION_SHAPE, parseDuration } from '../model/duration.js';
import { FIELD_PATH, MANY_PATH } from '../model/field-path.js';
import { FIELD_RULES, type FieldRule } from '../model/field-rules.js';
import type { Json } from '../model/json.js';
import { splitCommand } from './split-command.js';

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

export interface LeafRule extends FieldRule {
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
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && !value.includes('\0');
const isWholeFrom0 = (value: unknown) => value === 0 || FIELD_RULES.count.accepts(value);

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
        : FIELD_RULES.arguments.accepts(value) && isText((value as string[])[0]),
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
  return { ...FIELD_RULES[kind], schema: FIELD_SCHEMAS[kind] };
}

function isConfigKind(kind: LeafKind): kind is ConfigKind {
  return Object.hasOwn(CONFIG_RULES, kind);
}

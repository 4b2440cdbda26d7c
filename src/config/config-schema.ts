import * as z from 'zod/mini';
import type { ConditionType } from '../model/condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES, type Definition } from '../model/condition-catalog.js';
import { anyCondition, field, isOptional, kindOf } from '../model/fields.js';
import type { JsonSchema } from '../model/json.js';
import { COMMON } from '../model/judging/define-condition.js';
import { CONFIG } from './config-shape.js';
import { DEFAULT_LIMIT } from './default-policy.js';
import { given, type Keys, keysOf, listOf, publishedOf, shortOf } from './shape.js';

export const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * The JSON Schema (draft 2020-12) of `pawl.yaml`, from the schema that the loader reads. Editors use it through
 * `# yaml-language-server: $schema=...`. What takes more than one value to see (a check that is not there, a regular
 * expression that cannot run) only the loader finds.
 */
export function configSchema(): JsonSchema {
  return {
    $schema: DRAFT,
    title: 'pawl.yaml',
    description: 'What Pawl runs, and when it stops.',
    ...jsonSchema(CONFIG),
    $defs: conditionDefinitions('loop'),
  };
}

/** The JSON Schema of what may be written for a schema. */
export function jsonSchema(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: made }) => adapt(zodSchema, made),
  });
  return rest as JsonSchema;
}

const CONDITION = { $ref: '#/$defs/condition' };
const LIMIT = { $ref: '#/$defs/limit' };

/** What may be written in more ways than one. */
function adapt(schema: z.core.$ZodType, made: z.core.JSONSchema.BaseSchema): void {
  const list = listOf(schema);
  const short = shortOf(schema);
  const written = publishedOf(schema);
  if (schema === field.condition || schema === anyCondition) Object.assign(made, CONDITION);
  else if (schema === field.model) made.type = ['string', 'object'] as never;
  else if (written !== undefined) Object.assign(made, jsonSchema(written));
  else if (list !== undefined) made.items = list === 'limits' ? LIMIT : CONDITION;
  else if (schema._zod.def.type !== 'pipe') return;
  else if (short === undefined) made.type = ['object', 'null'] as never;
  else {
    const { description: _is, default: _said, ...one } = jsonSchema(keysOf(schema)?.[short] ?? z.never());
    const full = { ...made };
    for (const name of Object.keys(made)) delete made[name];
    Object.assign(made, { anyOf: [one, full] });
  }
}

/** Definitions for `$defs`: a condition of the given place in each way of writing, and an entry of a list of limits. */
export function conditionDefinitions(where: 'loop' | 'pipeline'): Readonly<Record<string, JsonSchema>> {
  const types = CONDITION_TYPES.filter((type) => isUsedIn(CONDITION_CATALOG[type], where));
  const forms = [z.enum(types.filter(needsNothing)), ...types.map(shorthand), ...types.map(inFull)];
  return {
    condition: {
      description: 'A condition: its name, `{ name: value }`, or `{ type: name, ... }`.',
      ...jsonSchema(z.union(forms)),
    },
    limit: { anyOf: [CONDITION, jsonSchema(NO_ITERATION_LIMIT)] },
  };
}

const NONE = z.literal(0).check(z.describe('No limit of iterations.'));

/** `max_iterations: 0` in its three ways of writing. */
const NO_ITERATION_LIMIT = z.union([
  z.strictObject({ [DEFAULT_LIMIT.type]: z.union([NONE, z.strictObject({ count: NONE })]) }),
  z.strictObject({ type: z.literal(DEFAULT_LIMIT.type), count: NONE }),
]);

function isUsedIn({ where: own, onlyInCode }: Definition, where: 'loop' | 'pipeline'): boolean {
  return onlyInCode !== true && (own === 'both' || own === where);
}

function needsNothing(type: ConditionType): boolean {
  const { fields, needsOneOf } = CONDITION_CATALOG[type];
  return Object.values(fields).every(isOptional) && needsOneOf === undefined;
}

function inFull(type: ConditionType): z.ZodMiniType {
  return withFields(type, { type: z.literal(type) }).check(z.describe(CONDITION_CATALOG[type].about));
}

function shorthand(type: ConditionType): z.ZodMiniType {
  const { short, fields, about } = CONDITION_CATALOG[type];
  const schema = short === undefined ? undefined : fields[short];
  const value = z.union([
    ...(schema === undefined ? [] : [given(schema)]),
    ...(kindOf(schema) === 'texts' ? [field.text] : []),
    ...(needsNothing(type) ? [z.literal(true), z.null()] : []),
    withFields(type, {}),
  ]);
  return z.strictObject({ [type]: value.check(z.describe(about)), ...COMMON });
}

/** An object with the fields of a condition; of those of which it needs one, each in turn is required. */
function withFields(type: ConditionType, more: Keys): z.ZodMiniType {
  const { fields, needsOneOf } = CONDITION_CATALOG[type];
  const keys: Keys = { ...more, ...fields, ...COMMON };
  if (needsOneOf === undefined) return z.strictObject(keys);
  return z.union(
    needsOneOf.map((name) => z.strictObject({ ...keys, [name]: z.nonoptional(fields[name] ?? z.never()) })),
  );
}

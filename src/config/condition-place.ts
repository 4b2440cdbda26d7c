import type * as z from 'zod/mini';
import { childrenOf, type StopCondition, type ConditionType } from '../model/condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES, type Definition } from '../model/condition-catalog.js';
import type { Issue } from '../model/errors.js';
import type { PolicyList } from '../model/policy.js';
import { isOptional, kindOf } from '../model/fields.js';
import { DEFAULT_LIMIT } from './default-policy.js';
import { FIELD_SCHEMAS, type JsonSchema } from './shape.js';

const MEANING = { success: 'a goal', failure: 'a failure', limits: 'a limit' } as const;
const OWN_CLASS = { success: 'goal', failure: 'failure', limits: undefined } as const;

/** What a condition is for. */
export type ConditionPlace = 'loop' | 'pipeline';

export interface ConditionReader {
  readonly fromCode: boolean;
  readonly where?: ConditionPlace | undefined;
  /** What a record holds was in its place when it was made. */
  readonly isRecorded?: boolean | undefined;
}

/** What is wrong with a well-formed condition because of where it stands: in a loop, in a file, in that list. */
export function conditionIssues(
  condition: StopCondition,
  list: PolicyList,
  path: string,
  { fromCode, where = 'loop', isRecorded = false }: ConditionReader,
): readonly Issue[] {
  const issues: Issue[] = [];
  if (list !== 'conditions' && condition.class !== undefined && condition.class !== OWN_CLASS[list]) {
    const message = `class counts only under stop.conditions; everything in this list is ${MEANING[list]}`;
    issues.push({ path: `${path}.class`, message });
  }
  visitConditions(condition, path, (inner, at) => {
    const { where: own, onlyInCode } = CONDITION_CATALOG[inner.type];
    const isHere = own === 'both' || own === where || (own === 'batch' && isRecorded);
    if (!isHere) issues.push({ path: at, message: wrongPlace(inner.type, own) });
    if (onlyInCode === true && !fromCode) {
      issues.push({ path: at, message: 'a function can only be given in code; a custom_script can stand here' });
    }
  });
  return issues;
}

function wrongPlace(type: StopCondition['type'], own: ConditionPlace | 'batch'): string {
  if (own === 'batch') return `${type} is given to the runs of a batch: pawl submit --batch NAME --batch-cost USD`;
  return own === 'pipeline'
    ? `${type} counts the items of a pipeline; it does not apply to a loop`
    : `${type} looks at the iterations of a loop; it does not apply to a pipeline`;
}

/** Calls back for a condition and all those inside it, each with its path as `readCondition` writes it. */
export function visitConditions(
  condition: StopCondition,
  path: string,
  visit: (condition: StopCondition, path: string) => void,
): void {
  visit(condition, path);
  for (const [index, inner] of childrenOf(condition).entries()) {
    visitConditions(inner, 'condition' in condition ? `${path}.condition` : `${path}.conditions[${index}]`, visit);
  }
}

const CONDITION: JsonSchema = { $ref: '#/$defs/condition' };

const COMMON: Readonly<Record<string, JsonSchema>> = {
  class: { enum: ['goal', 'failure'], description: 'Its class in a neutral list.' },
  confirm: { ...FIELD_SCHEMAS.count, description: 'How many times this goal is checked before it counts.' },
};

/** Definitions for `$defs`: a condition of the given place in each way of writing, and an entry of a list of limits. */
export function conditionDefinitions(where: 'loop' | 'pipeline'): Readonly<Record<string, JsonSchema>> {
  const types = CONDITION_TYPES.filter((type) => isUsedIn(CONDITION_CATALOG[type], where));
  const bare = types.filter(needsNothing);
  return {
    condition: {
      description: 'A condition: its name, `{ name: value }`, or `{ type: name, ... }`.',
      anyOf: [{ enum: bare }, ...types.map(shorthandSchema), ...types.map(fullSchema)],
    },
    limit: { anyOf: [CONDITION, ...NO_ITERATION_LIMIT] },
  };
}

const NO_COUNT = { const: 0, description: 'No limit of iterations.' };

/** `max_iterations: 0` in its three ways of writing. */
const NO_ITERATION_LIMIT: readonly JsonSchema[] = [
  closed({ [DEFAULT_LIMIT.type]: NO_COUNT }, [DEFAULT_LIMIT.type]),
  closed({ [DEFAULT_LIMIT.type]: closed({ count: NO_COUNT }, ['count']) }, [DEFAULT_LIMIT.type]),
  closed({ type: { const: DEFAULT_LIMIT.type }, count: NO_COUNT }, ['type', 'count']),
];

function isUsedIn({ where: own, onlyInCode }: Definition, where: 'loop' | 'pipeline'): boolean {
  return onlyInCode !== true && (own === 'both' || own === where);
}

function needsNothing(type: ConditionType): boolean {
  return requiredFields(type).length === 0 && CONDITION_CATALOG[type].needsOneOf === undefined;
}

function fullSchema(type: ConditionType): JsonSchema {
  const required = ['type', ...requiredFields(type)];
  const schema = withFields(type, { type: { const: type }, ...fieldSchemas(type), ...COMMON }, required);
  return { ...schema, description: CONDITION_CATALOG[type].about };
}

function shorthandSchema(type: ConditionType): JsonSchema {
  const { short, fields, about } = CONDITION_CATALOG[type];
  const field = short === undefined ? undefined : fields[short];
  const values: JsonSchema[] = [
    ...(field === undefined ? [] : [fieldSchema(field)]),
    ...(kindOf(field) === 'texts' ? [FIELD_SCHEMAS.text] : []),
    ...(needsNothing(type) ? [{ const: true }, { type: 'null' }] : []),
    withFields(type, { ...fieldSchemas(type), ...COMMON }, requiredFields(type)),
  ];
  return closed({ [type]: { anyOf: values, description: about }, ...COMMON }, [type]);
}

function fieldSchemas(type: ConditionType): Record<string, JsonSchema> {
  const fields = Object.entries(CONDITION_CATALOG[type].fields);
  return Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)]));
}

function fieldSchema(field: z.ZodMiniType): JsonSchema {
  const kind = kindOf(field);
  if (kind === undefined) return {};
  if (kind === 'condition') return CONDITION;
  if (kind === 'conditions') return { type: 'array', minItems: 1, items: CONDITION };
  return FIELD_SCHEMAS[kind];
}

function requiredFields(type: ConditionType): string[] {
  const fields = Object.entries(CONDITION_CATALOG[type].fields);
  return fields.filter(([, field]) => !isOptional(field)).map(([name]) => name);
}

function withFields(
  type: ConditionType,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema {
  const { needsOneOf } = CONDITION_CATALOG[type];
  if (needsOneOf === undefined) return closed(properties, required);
  return { anyOf: needsOneOf.map((field) => closed(properties, [...required, field])) };
}

function closed(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

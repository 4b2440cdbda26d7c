import { conditionDefinitions } from './condition-place.js';
import { CONFIG_KEYS } from './config-shape.js';
import { type JsonSchema, leafRule, type Keys, type Shape } from './shape.js';

/**
 * The JSON Schema (draft 2020-12) of `pawl.yaml`, from the table that the loader reads. Editors use it through
 * `# yaml-language-server: $schema=...`. What takes more than one value to see (a check that is not there, a regular
 * expression that cannot run) only the loader finds.
 */
export function configSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'pawl.yaml',
    description: 'What Pawl runs, and when it stops.',
    ...keysSchema(CONFIG_KEYS, ['object', 'null']),
    $defs: conditionDefinitions('loop'),
  };
}

/** The schema of a mapping with those keys; also for other files that are described by such a table. */
export function keysSchema(keys: Keys, type: 'object' | readonly ['object', 'null']): JsonSchema {
  const entries = Object.entries(keys);
  const required = entries.filter(([, key]) => key.required === true).map(([name]) => name);
  return {
    type,
    properties: Object.fromEntries(
      entries.map(([name, { shape, about, default: fallback }]) => [
        name,
        { ...shapeSchema(shape), description: about, ...(fallback === undefined ? {} : { default: fallback }) },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function shapeSchema(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case 'leaf':
      return leafRule(shape.of).schema;
    case 'choice':
      return { enum: shape.of };
    case 'conditions':
      return { type: 'array', items: { $ref: shape.list === 'limits' ? '#/$defs/limit' : '#/$defs/condition' } };
    case 'mapping':
      return keysSchema(shape.keys, ['object', 'null']);
    case 'named':
      return {
        type: ['object', 'null'],
        propertyNames: { pattern: shape.names.pattern.source },
        additionalProperties: shapeSchema(shape.of),
      };
    case 'short-form': {
      const short = shape.keys[shape.short]?.shape;
      return { anyOf: [...(short === undefined ? [] : [shapeSchema(short)]), keysSchema(shape.keys, 'object')] };
    }
    default:
      return shape satisfies never;
  }
}

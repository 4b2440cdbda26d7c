import { configSchema } from '../../../config/config-schema.js';
import { manifestSchema, stateSchema } from '../../../pipeline/schemas.js';
import { jsonText } from '../../text/json-text.js';
import type { Terminal } from '../../text/terminal.js';

const SCHEMAS = { config: configSchema, pipeline: manifestSchema, 'pipeline-state': stateSchema };

export type SchemaName = keyof typeof SCHEMAS;

export function printSchema(name: SchemaName, terminal: Terminal): void {
  terminal.raw(`${jsonText(SCHEMAS[name](), 2)}\n`);
}

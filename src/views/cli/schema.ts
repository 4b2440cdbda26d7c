import { configSchema } from '../../config/config-schema.js';
import { jsonText } from '../terminal/json-text.js';
import type { Terminal } from './terminal.js';

export function printSchema(terminal: Terminal): void {
  terminal.raw(`${jsonText(configSchema(), 2)}\n`);
}

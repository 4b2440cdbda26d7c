import { configSchema } from '../../config/config-schema.js';
import type { Terminal } from './terminal.js';

export function printSchema(terminal: Terminal): void {
  terminal.raw(`${JSON.stringify(configSchema(), null, 2)}\n`);
}

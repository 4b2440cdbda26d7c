import { configSchema } from '../../../config/config-schema.js';
import { jsonText } from '../../text/json-text.js';
import type { Terminal } from '../../text/terminal.js';

export function printSchema(terminal: Terminal): void {
  terminal.raw(`${jsonText(configSchema(), 2)}\n`);
}

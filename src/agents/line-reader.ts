import type { AgentEvent } from '../model/agent-event.js';
import type { LineReader } from './adapter.js';

/** What a reader makes of one line alone. */
export function readAlone(reader: LineReader, line: string): readonly AgentEvent[] {
  return [...reader.read(line), ...reader.end()];
}

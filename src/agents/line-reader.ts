import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import type { LineReader } from './adapter.js';

/** What a reader makes of one line alone. */
export function readAlone(reader: LineReader, line: string): readonly AgentEvent[] {
  return [...reader.read(line), ...reader.end()];
}

/** Calls whose answer has not come; an agent that never answers does not fill the memory. */
const MOST_OPEN_CALLS = 1000;

/** For agents that name a tool and its input only in the call: a denial then tells what was denied. */
export function namingDenied(reader: LineReader): LineReader {
  const calls = new Map<string, AgentEventOf<'tool-call'>>();
  const named = (event: AgentEvent): AgentEvent => {
    if (event.kind === 'tool-call' && event.id !== undefined && calls.size < MOST_OPEN_CALLS)
      calls.set(event.id, event);
    if (event.kind === 'tool-result') calls.delete(event.id ?? '');
    const call = event.kind === 'permission-denied' ? calls.get(event.id ?? '') : undefined;
    return event.kind !== 'permission-denied' || call === undefined
      ? event
      : { ...event, tool: call.name, detail: call.input ?? event.detail };
  };
  return { ...reader, read: (line) => reader.read(line).map(named) };
}

import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import type { LineReader } from './adapter.js';

/** The events of a single line. */
export function readAlone(reader: LineReader, line: string): readonly AgentEvent[] {
  return [...reader.read(line), ...reader.end()];
}

/** Calls without a result. The limit protects the memory from an agent that never reports results. */
const MOST_OPEN_CALLS = 1000;

/** For agents that name a tool and its input only in the call: adds both to a denial. */
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

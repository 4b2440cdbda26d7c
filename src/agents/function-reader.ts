import { headOf } from '../model/cut-text.js';
import type { AgentEvent } from '../model/agent-event.js';
import { showValue } from '../model/field-rules.js';
import type { LineReader } from './adapter.js';
import { eventFaults } from './event-faults.js';
import { errorEvent } from './provider-failure.js';

const LINE_CHARACTERS = 200;

export interface ParseFunctions {
  readonly name: string;
  parse(line: string): readonly AgentEvent[];
  parseError?(line: string): readonly AgentEvent[];
}

/**
 * Reads lines by functions of the user's own. What they throw, and what they give that is no event, is a mistake in them:
 * nobody knows what was lost, so that an iteration with one has failed, whatever else the agent says.
 */
export function functionReader(functions: ParseFunctions): LineReader {
  const { name } = functions;
  let first: string | undefined;
  let lastError: string | undefined;
  const read = (what: 'parse' | 'parseError', line: string): readonly AgentEvent[] => {
    const made = eventsOf(() => functions[what]?.(line) ?? (what === 'parse' ? undefined : []));
    if (typeof made !== 'string') {
      for (const event of made) if (event.kind === 'error') lastError = event.message;
      return made.map((event) => (event.kind === 'error' ? errorEvent(event.error, event.message) : event));
    }
    // Said once: a mistake that shows in every line is one mistake.
    if (first !== undefined) return [];
    first = `the agent ${name}: ${what} ${made}, for the line ${showLine(line)}`;
    lastError = first;
    return [mistake(first)];
  };
  return {
    read: (line) => read('parse', line),
    readError: (line) => read('parseError', line),
    end() {
      if (first === undefined) return [];
      return [...(lastError === first ? [] : [mistake(first)]), { kind: 'result', outcome: 'error' }];
    },
  };
}

/** What is wrong with it, or the events. */
function eventsOf(make: () => unknown): readonly AgentEvent[] | string {
  try {
    const made = make();
    if (made instanceof Promise) {
      // Its rejection would end the whole process.
      made.catch(() => undefined);
      return 'must give a list of events at once, not a promise';
    }
    if (!Array.isArray(made)) return `must give a list of events, not ${showValue(made)}`;
    const faults = made.flatMap(eventFaults);
    if (faults.length === 0) return made as readonly AgentEvent[];
    return `gave an event that is none: ${faults.slice(0, 5).join(', ')}`;
  } catch (error) {
    return `has thrown: ${thrownWords(error)}`;
  }
}

export function thrownWords(error: unknown): string {
  return error instanceof Error ? error.message : showValue(error);
}

function mistake(message: string): AgentEvent {
  return { kind: 'error', error: 'other', message };
}

function showLine(line: string): string {
  return JSON.stringify(line.length > LINE_CHARACTERS ? `${headOf(line, LINE_CHARACTERS)}…` : line);
}

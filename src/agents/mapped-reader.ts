import { headOf } from '../model/cut-text.js';
import type { AgentDefinition } from '../model/agent-definition.js';
import type { AgentEvent } from '../model/agent-event.js';
import type { LineReader } from './adapter.js';
import { jsonObject } from './json-fields.js';
import { mappedParser } from './parse-mapped.js';

const LINE_CHARACTERS = 300;

/**
 * Reads the lines of one invocation by a definition. When its rules promise usage or a result and are for none of the
 * lines that came, they are wrong, or the program did something else: the reader says so.
 */
export function mappedReader(definition: AgentDefinition): LineReader {
  const parse = mappedParser(definition);
  const { events } = definition;
  if (events?.usage === undefined && events?.result === undefined) return { read: parse, end: () => [] };
  const unread = new UnreadLines();
  return {
    read(line) {
      const told = parse(line);
      unread.add(line, told);
      return told;
    },
    readError(line) {
      unread.addError(line);
      return [];
    },
    end: () => unread.complaint(definition),
  };
}

/** The lines of which no rule made anything, until the first one of which one did. */
class UnreadLines {
  #count = 0;
  #hasMatch = false;
  #first: string | undefined;
  #firstObject: string | undefined;
  #lastError: string | undefined;

  add(line: string, told: readonly AgentEvent[]): void {
    if (this.#hasMatch || line.trim() === '') return;
    this.#hasMatch = told.some(({ kind }) => kind !== 'output');
    this.#count += 1;
    this.#first ??= shorten(line);
    this.#firstObject ??= jsonObject(line) === undefined ? undefined : shorten(line);
  }

  addError(line: string): void {
    if (!this.#hasMatch && line.trim() !== '') this.#lastError = shorten(line);
  }

  complaint({ name, events = {} }: AgentDefinition): readonly AgentEvent[] {
    if (this.#hasMatch || this.#count === 0) return [];
    const lines = this.#count === 1 ? '1 line' : `${this.#count} lines`;
    const example =
      this.#firstObject === undefined ? `which is no JSON: ${this.#first}` : `such as ${this.#firstObject}`;
    const also = this.#lastError === undefined ? '' : `; its standard error ends with ${this.#lastError}`;
    const rules = `; the rules are ${Object.keys(events).join(', ')}`;
    // What matters comes first: a terminal shows the beginning.
    const message = `the events of ${name} match nothing in its output (${lines}), ${example}${also}${rules}`;
    return [{ kind: 'error', error: 'other', message }];
  }
}

function shorten(line: string): string {
  const text = line.trim();
  return text.length > LINE_CHARACTERS ? `${headOf(text, LINE_CHARACTERS)}…` : text;
}

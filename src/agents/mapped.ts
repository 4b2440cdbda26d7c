import { headOf } from '../model/figures.js';
import type { AgentDefinition } from '../model/agent-definition.js';
import type { AgentEvent } from '../model/agent-event.js';
import type { AgentSpec } from '../model/run-spec.js';
import type { AgentAdapter, AgentRequest, Invocation, LineReader } from './adapter.js';
import { ownVariables } from './command.js';
import { flag, invocationOf } from './known-agent.js';
import { jsonObject } from './agent-events.js';
import { mappedParser } from './parse-mapped.js';

const GRACE_MS = 3000;
const LINE_CHARACTERS = 300;

/** An agent CLI that a definition of the user describes. */
export function mappedAgent(definition: AgentDefinition): AgentAdapter {
  const { name, usage, signals, events, resumeFlag } = definition;
  return {
    name,
    usage,
    signals,
    graceMs: GRACE_MS,
    canResume: resumeFlag !== undefined || events === undefined,
    tellsResult: events?.result !== undefined,
    invocation: (agent, request) => invocation(definition, agent, request),
    parse: mappedParser(definition),
    reader: () => mappedReader(definition),
  };
}

function invocation(
  { command, args, modelFlag, resumeFlag }: AgentDefinition,
  agent: AgentSpec,
  request: AgentRequest,
): Invocation {
  const words = [...args, ...flag(modelFlag, agent.model), ...flag(resumeFlag, request.session), ...agent.args];
  const call = invocationOf('', { ...agent, command: agent.command ?? command }, request, words);
  return { ...call, env: { ...call.env, ...ownVariables(agent, request) } };
}

/**
 * Reads the lines of one invocation by a definition. If its rules are for usage or a result and no line matches any rule,
 * the rules are wrong or the program did something else: the reader reports that.
 */
export function mappedReader(definition: AgentDefinition): LineReader {
  const parse = mappedParser(definition);
  const { events } = definition;
  if (events?.usage === undefined && events?.result === undefined) return { read: parse, end: () => [] };
  const unread = new UnreadLines();
  return {
    read(line) {
      const events = parse(line);
      unread.add(line, events);
      return events;
    },
    readError(line) {
      unread.addError(line);
      return [];
    },
    end: () => unread.complaint(definition),
  };
}

/** The lines before the first one that matches a rule. */
class UnreadLines {
  #count = 0;
  #hasMatch = false;
  #first: string | undefined;
  #firstObject: string | undefined;
  #lastError: string | undefined;

  add(line: string, found: readonly AgentEvent[]): void {
    if (this.#hasMatch || line.trim() === '') return;
    this.#hasMatch = found.some(({ kind }) => kind !== 'output');
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
      this.#firstObject === undefined ? `which is not JSON: ${this.#first}` : `such as ${this.#firstObject}`;
    const also = this.#lastError === undefined ? '' : `; its standard error ends with ${this.#lastError}`;
    const rules = `; the rules are ${Object.keys(events).join(', ')}`;
    // A terminal shows the beginning of the message.
    const message = `the events of ${name} match nothing in its output (${lines}), ${example}${also}${rules}`;
    return [{ kind: 'error', error: 'other', message }];
  }
}

function shorten(line: string): string {
  const text = line.trim();
  return text.length > LINE_CHARACTERS ? `${headOf(text, LINE_CHARACTERS)}…` : text;
}

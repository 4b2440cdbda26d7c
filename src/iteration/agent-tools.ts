import type { AgentEventOf } from '../model/agent-event.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { TestResults } from '../model/test-results.js';
import { AgentTests } from './agent-tests.js';
import type { GreenWatch } from './green-watch.js';
import { shortId } from './short-id.js';
import { shorten } from './speech.js';

const INPUT_CHARACTERS = 2000;
const OUTPUT_CHARACTERS = 4000;
const DETAIL_CHARACTERS = 2000;
const NAME_CHARACTERS = 200;
/** Denials whose call has not been answered yet; an agent that never answers does not fill the memory. */
const MOST_OPEN_DENIALS = 1000;

/** The tools that an agent calls, and what they answer, as events. */
export class AgentTools {
  /** Calls that were denied: what comes back from them is the denial, not an answer. */
  readonly #denied = new Set<string>();
  readonly #tests: AgentTests;
  readonly #green: GreenWatch | undefined;

  constructor(spec: RunSpec, green: GreenWatch | undefined) {
    this.#tests = new AgentTests(spec, green);
    this.#green = green;
  }

  get tests(): TestResults | undefined {
    return this.#tests.last;
  }

  called({ id, name, input }: AgentEventOf<'tool-call'>): NewEvent {
    this.#green?.toolCalled();
    return {
      type: 'tool-called',
      id: id === undefined ? undefined : shortId(id),
      name: shorten(name, NAME_CHARACTERS).text,
      input: input === undefined ? undefined : shorten(input, INPUT_CHARACTERS).text,
    };
  }

  answered(event: AgentEventOf<'tool-result'>): NewEvent {
    const { id, failed, denied, output } = event;
    const shown = output === undefined ? undefined : shorten(output, OUTPUT_CHARACTERS).text;
    const called = id === undefined ? undefined : shortId(id);
    const isDenial = called !== undefined && this.#denied.delete(called);
    this.#tests.see(event);
    return { type: 'tool-answered', id: called, failed, denied: isDenial || denied, output: shown };
  }

  denied({ tool, id, detail }: AgentEventOf<'permission-denied'>): NewEvent {
    if (id !== undefined && this.#denied.size < MOST_OPEN_DENIALS) this.#denied.add(shortId(id));
    return {
      type: 'permission-denied',
      tool: shorten(tool, NAME_CHARACTERS).text,
      detail: detail === undefined ? undefined : shorten(detail, DETAIL_CHARACTERS).text,
    };
  }
}

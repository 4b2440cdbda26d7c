import type { AgentEventOf } from '../model/agent-event.js';
import type { NewEvent, EventBodies, EventType } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { TestResults } from '../model/test-results.js';
import type { GreenWatch } from './green-watch.js';
import { shortId } from './short-id.js';
import { shorten } from './speech.js';
import { parseTestOutput } from '../observation/parse-test-output.js';
import { gradeOf } from '../observation/parsed-tests.js';

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

/** Reads how tests went off the output of the agent's own tools. */
export class AgentTests {
  readonly #isParsed: boolean;
  /** Where Pawl runs no tests, these are the tests of the iteration. */
  readonly #isSource: boolean;
  readonly #green: GreenWatch | undefined;
  last: TestResults | undefined;

  constructor({ tests, parseTests }: Pick<RunSpec, 'tests' | 'parseTests'>, green: GreenWatch | undefined) {
    this.#isParsed = parseTests;
    this.#isSource = tests === undefined;
    this.#green = green;
  }

  see({ failed, denied, output }: AgentEventOf<'tool-result'>): void {
    if (!this.#isParsed || output === undefined) return;
    const isWatched = !failed && denied !== true && this.#green?.mayRead(output) === true;
    if (!this.#isSource && !isWatched) return;
    const parsed = parseTestOutput(output);
    if (parsed === undefined) return;
    if (this.#isSource) {
      const { isPartial: _, ...counted } = parsed;
      this.last = { source: 'agent', grade: gradeOf(parsed), ...counted };
    }
    if (isWatched) this.#green?.see(parsed);
  }
}

type ContextReport = EventBodies['context-reported'];

/** Of tools, errors, denials and the like of one iteration this much is recorded. Usage always is. */
const RECORDED_CHARACTERS = 16 * 1024 * 1024;
/** What a line of the journal takes besides its content. */
const ENVELOPE_CHARACTERS = 120;
/** Of calls of tools and their answers, which no condition reads, so many are recorded. */
const RECORDED_CALLS = 20_000;
/** And so many of each kind in any case: a flood of one does not hide another. */
const ALWAYS_RECORDED = 500;

/** What an agent can repeat without end does not fill the disk. */
export class EventBounds {
  readonly #counts = new Map<EventType, number>();
  #characters = 0;
  #calls = 0;
  /** A denial is recorded, and no call that was allowed since: the next one ends the row of denials. */
  #isDenied = false;
  #fullestPercent = -1;
  /** The latest report of the context, when it had no room. */
  lateContext: NewEvent | undefined;
  /** Events that had no room. */
  dropped = 0;

  /** Whether an event is to be recorded. Counts it either way. */
  admit(event: NewEvent): boolean {
    const count = (this.#counts.get(event.type) ?? 0) + 1;
    this.#counts.set(event.type, count);
    const characters = JSON.stringify(event).length + ENVELOPE_CHARACTERS;
    const isCall = event.type === 'tool-called' || (event.type === 'tool-answered' && !this.#isDenied);
    const isFull = this.#characters + characters > RECORDED_CHARACTERS || (isCall && this.#calls >= RECORDED_CALLS);
    const isNeeded = event.type === 'context-reported' && this.#isFuller(event);
    if (event.type === 'context-reported') this.lateContext = undefined;
    if (count > ALWAYS_RECORDED && isFull && !isNeeded) {
      if (event.type === 'context-reported') this.lateContext = event;
      this.dropped += 1;
      return false;
    }
    this.#characters += characters;
    if (isCall) this.#calls += 1;
    if (event.type === 'permission-denied') this.#isDenied = true;
    if (event.type === 'tool-answered' && event.denied !== true) this.#isDenied = false;
    return true;
  }

  /** Conditions read how full the context is: a report that is fuller by a percent is never left out. */
  #isFuller({ usedTokens, windowTokens }: ContextReport): boolean {
    const percent = Math.min(Math.floor((usedTokens / windowTokens) * 100), 100);
    const isFuller = percent > this.#fullestPercent;
    if (isFuller) this.#fullestPercent = percent;
    return isFuller;
  }
}

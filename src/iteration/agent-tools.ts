import type { AgentEventOf } from '../model/agent-event.js';
import type { NewEvent, EventBodies, EventType } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { TestResults } from '../model/test-results.js';
import { shorten } from './speech.js';
import { parseTestOutput } from '../observation/parse-test-output.js';
import { gradeOf, type ParsedTests } from '../observation/parsed-tests.js';
import { createHash } from 'node:crypto';

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

  constructor(spec: Pick<RunSpec, 'tests' | 'parseTests'>, green: GreenWatch | undefined) {
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

/** Words that the report of a green test run has, whatever the framework. */
const PASSES = /[Pp]ass|PASS|ok\b|OK\b|succeeded|<testsuite|examples?, /;
/** No summary of tests that an agent CLI passes on is longer. */
const MOST_CHARACTERS = 512 * 1024;
/** Of output that may hold a summary, so much is read in each window: the rest of a flood is not. */
const WINDOW_CHARACTERS = 1024 * 1024;
const WINDOW_MS = 2000;
const LEAST_INTERVAL_MS = 2000;
/** Each snapshot makes the next one wait longer, so that an iteration of hours has a few hundred at most. */
const INTERVAL_PER_SNAPSHOT_MS = 200;
/** Snapshots take at most a tenth of the time. */
const INTERVAL_PER_DURATION = 10;
const SNAPSHOT_TIMEOUT_MS = 60_000;

export interface GreenWatchOptions {
  /** Fewer tests are only a part of those of the run. */
  readonly leastTests: number;
  /** A tree that is known to be green. */
  readonly knownTree?: string | undefined;
  /** The tree of the files as they are now; undefined when there is no snapshot. Never rejects. */
  readonly snapshot: (signal: AbortSignal) => Promise<string | undefined>;
  readonly record: (seen: { readonly tree: string; readonly passed: number }) => void;
  /** The snapshot under way is given up. */
  readonly hurry: AbortSignal;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: (() => number) | undefined;
}

/** Takes a snapshot when the agent's own tool shows all tests green. The agent does not wait for it. */
export class GreenWatch {
  readonly #options: GreenWatchOptions;
  readonly #now: () => number;
  #windowAtMs = Number.NEGATIVE_INFINITY;
  #windowCharacters = 0;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #snapshots = 0;
  #underWay: Promise<void> | undefined;
  /** The agent may have changed files since the tests were green. */
  #isLate = false;
  #lastTree: string | undefined;

  constructor(options: GreenWatchOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#lastTree = options.knownTree;
  }

  /** Whether an output is worth reading: most are not, and a snapshot may not be due yet. */
  mayRead(output: string): boolean {
    const nowMs = this.#now();
    if (this.#underWay !== undefined || nowMs < this.#dueAtMs || output.length > MOST_CHARACTERS) return false;
    if (nowMs - this.#windowAtMs >= WINDOW_MS) {
      this.#windowAtMs = nowMs;
      this.#windowCharacters = 0;
    }
    if (this.#windowCharacters + output.length > WINDOW_CHARACTERS || !PASSES.test(output)) return false;
    this.#windowCharacters += output.length;
    return true;
  }

  /** What an output says of the tests. */
  see({ passed, failed }: Pick<ParsedTests, 'passed' | 'failed'>): void {
    if (failed > 0 || passed < this.#options.leastTests || this.#underWay !== undefined) return;
    this.#isLate = false;
    this.#underWay = this.#take(passed).finally(() => {
      this.#underWay = undefined;
    });
  }

  /** The agent calls a tool, which may change files: a snapshot that is not complete yet may hold them. */
  toolCalled(): void {
    this.#isLate = true;
  }

  /** Resolves when no snapshot is under way. Nothing is recorded afterwards. */
  async end(): Promise<void> {
    await this.#underWay;
    this.#dueAtMs = Number.POSITIVE_INFINITY;
  }

  async #take(passed: number): Promise<void> {
    const { snapshot, record, hurry } = this.#options;
    const startedAtMs = this.#now();
    const tree = await snapshot(AbortSignal.any([hurry, AbortSignal.timeout(SNAPSHOT_TIMEOUT_MS)]));
    const endedAtMs = this.#now();
    this.#snapshots += 1;
    const intervalMs = Math.max(LEAST_INTERVAL_MS, this.#snapshots * INTERVAL_PER_SNAPSHOT_MS);
    this.#dueAtMs = startedAtMs + Math.max(intervalMs, (endedAtMs - startedAtMs) * INTERVAL_PER_DURATION);
    if (tree === undefined || tree === this.#lastTree || this.#isLate) return;
    this.#lastTree = tree;
    record({ tree, passed });
  }
}

const LONGEST_CHARACTERS = 200;

/** An id that an agent made up, in a length that can be kept many times over. Different ids stay different. */
export function shortId(id: string): string {
  return id.length <= LONGEST_CHARACTERS ? id : createHash('sha256').update(id).digest('hex');
}

export function withShortIds(event: AgentEventOf<'usage'>): AgentEventOf<'usage'> {
  const { id, session, model } = event;
  const short = (text: string | undefined) => (text === undefined ? undefined : shortId(text));
  return { ...event, id: short(id), session: short(session), model: short(model) };
}

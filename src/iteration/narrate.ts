import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { errorFingerprint } from '../model/error-fingerprint.js';
import type { AgentErrorKind, NewEvent } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { TestResults } from '../model/test-results.js';
import { addSpend, isSameSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import { priceReport } from '../observation/price-report.js';
import { parseTestOutput } from '../observation/parse-test-output.js';
import { createPromptEcho, type PromptEcho } from './prompt-echo.js';
import { shorten, Speech } from './speech.js';

const TOOL_INPUT_CHARACTERS = 2000;
const TOOL_OUTPUT_CHARACTERS = 4000;
const ERROR_CHARACTERS = 2000;
/** Tool calls and answers of one iteration that are recorded; what they did, the files and tests show. */
const RECORDED_TOOL_EVENTS = 20_000;

/** What an agent's events came to in one iteration. */
export interface Narration {
  /** Records an event of the agent's. Must not be called after `end`. */
  tell(event: AgentEvent): void;
  end(): void;
  readonly result: AgentEventOf<'result'> | undefined;
  readonly limit: AgentEventOf<'limit'> | undefined;
  readonly lastError: string | undefined;
  readonly lastMessage: string | undefined;
  /** Read off the output of its own tools: only believed. */
  readonly tests: TestResults | undefined;
  /** A refusal that no retry will change: the agent need not go on. */
  readonly refusal: AgentErrorKind | undefined;
}

export interface NarrationOptions {
  readonly spec: RunSpec;
  readonly prompt: string;
  /** The session that is gone on with. */
  readonly session?: string | undefined;
  /** As far as it is known from before. */
  readonly windowTokens?: number | undefined;
  readonly record: (event: NewEvent) => void;
  readonly now: () => Date;
}

/** Turns what an agent shows into records: priced, shortened, searched for patterns. */
export function createNarration(options: NarrationOptions): Narration {
  return new OpenNarration(options);
}

class OpenNarration implements Narration {
  readonly #options: NarrationOptions;
  readonly #speech: Speech;
  readonly #echo: PromptEcho;
  readonly #models = new Map<string, string>();
  readonly #requests = new Map<string, Spend>();
  #hasSpend = false;
  #windowTokens: number | undefined;
  #usedTokens: number | undefined;
  #toolEvents = 0;
  result: AgentEventOf<'result'> | undefined;
  limit: AgentEventOf<'limit'> | undefined;
  lastError: string | undefined;
  tests: TestResults | undefined;
  refusal: AgentErrorKind | undefined;

  constructor(options: NarrationOptions) {
    this.#options = options;
    this.#windowTokens = options.windowTokens;
    this.#echo = createPromptEcho(options.prompt);
    this.#speech = new Speech(options.spec.policy, (said) => options.record({ type: 'agent-said', ...said }));
  }

  get lastMessage(): string | undefined {
    return this.#speech.last;
  }

  tell(event: AgentEvent): void {
    if (event.kind === 'output') {
      for (const line of this.#echo.filter(event.text)) this.#speech.line(line);
      return;
    }
    this.#speech.pause();
    this.#tellTyped(event);
  }

  end(): void {
    for (const line of this.#echo.end()) this.#speech.line(line);
    this.#speech.end();
    // An agent that was never let in has used nothing.
    if (this.refusal === undefined || this.#hasSpend) return;
    this.#options.record({ type: 'usage-reported', scope: 'turn', spend: NOTHING_SPENT });
  }

  #tellTyped(event: Exclude<AgentEvent, { readonly kind: 'output' }>): void {
    const { record } = this.#options;
    switch (event.kind) {
      case 'text':
        return this.#speech.message(event.text);
      case 'tool-call':
        return this.#tool({
          type: 'tool-called',
          id: event.id,
          name: event.name,
          input: event.input === undefined ? undefined : shorten(event.input, TOOL_INPUT_CHARACTERS).text,
        });
      case 'tool-result':
        return this.#toolResult(event);
      case 'usage':
        return this.#usage(event);
      case 'session':
        return record({ type: 'session-opened', session: event.id, resumed: event.id === this.#options.session });
      case 'context':
        this.#windowTokens = event.windowTokens ?? this.#windowTokens;
        this.#usedTokens = event.usedTokens ?? this.#usedTokens;
        return this.#context();
      case 'limit':
        this.limit = event;
        return record({ type: 'limit-hit', kind: event.limit, resetsAt: event.resetsAt, message: cut(event.message) });
      case 'retry':
        // A login or a bill that is refused stays refused: the agent's own retries would only cost time.
        return isRefusal(event.error) ? this.#error(event.error, event.message) : undefined;
      case 'error':
        return this.#error(event.error, event.message);
      case 'permission-denied':
        return record({ type: 'permission-denied', tool: event.tool, detail: event.detail });
      case 'result':
        return this.#result(event);
      default:
        return event satisfies never;
    }
  }

  #tool(event: NewEvent): void {
    this.#toolEvents++;
    if (this.#toolEvents <= RECORDED_TOOL_EVENTS) this.#options.record(event);
  }

  #toolResult({ id, failed, denied, output }: AgentEventOf<'tool-result'>): void {
    const { spec } = this.#options;
    const shown = output === undefined ? undefined : shorten(output, TOOL_OUTPUT_CHARACTERS).text;
    this.#tool({ type: 'tool-answered', id, failed, denied, output: shown });
    if (spec.tests !== undefined || !spec.parseTests || output === undefined) return;
    const parsed = parseTestOutput(output);
    if (parsed !== undefined) this.tests = { source: 'agent', ...parsed };
  }

  #usage(event: AgentEventOf<'usage'>): void {
    const { spec, record, now } = this.#options;
    this.#hasSpend = true;
    if (event.scope !== 'request') {
      record({ type: 'usage-reported', ...priceReport(this.#turn(event), { prices: spec.prices, at: now() }) });
      this.#models.clear();
      this.#requests.clear();
      return;
    }
    const id = event.id ?? '';
    if (event.model !== undefined) this.#models.set(id, event.model);
    const model = event.model ?? this.#models.get(id) ?? spec.agent.model;
    const report = priceReport({ ...event, model }, { prices: spec.prices, at: now() });
    // A request is reported several times, mostly with the same figures.
    const known = event.id === undefined ? undefined : this.#requests.get(id);
    if (known !== undefined && isSameSpend(known, report.spend)) return;
    this.#requests.set(event.id ?? `unnamed ${this.#requests.size}`, report.spend);
    record({ type: 'usage-reported', ...report });
    this.#usedTokens = report.spend.totalTokens ?? this.#usedTokens;
    this.#context();
  }

  /** Requests that were all seen have their price; only what they leave open does the agent's own figure tell. */
  #turn(event: AgentEventOf<'usage'>): AgentEventOf<'usage'> {
    const seen = [...this.#requests.values()].reduce<Spend>(addSpend, NOTHING_SPENT);
    const isCovered =
      event.scope === 'turn' &&
      seen.costUsd !== undefined &&
      (seen.inputTokens ?? 0) >= (event.spend.inputTokens ?? 0) &&
      (seen.outputTokens ?? 0) >= (event.spend.outputTokens ?? 0);
    return isCovered && this.#requests.size > 0 ? { ...event, spend: { ...event.spend, costUsd: undefined } } : event;
  }

  #context(): void {
    const [usedTokens, windowTokens] = [this.#usedTokens, this.#windowTokens];
    if (usedTokens === undefined || windowTokens === undefined) return;
    this.#options.record({ type: 'context-reported', usedTokens, windowTokens });
  }

  #error(kind: AgentErrorKind, message: string): void {
    this.lastError = message;
    if (isRefusal(kind)) this.refusal = kind;
    this.#options.record({ type: 'error-seen', kind, message: cut(message), fingerprint: errorFingerprint(message) });
  }

  #result(event: AgentEventOf<'result'>): void {
    this.result = event;
    const { outcome, text } = event;
    this.#options.record({
      type: 'agent-finished',
      summary: text === undefined ? undefined : shorten(text, TOOL_OUTPUT_CHARACTERS).text,
      stoppedBy: outcome === 'budget' || outcome === 'turns' ? outcome : undefined,
    });
  }
}

function isRefusal(kind: AgentErrorKind): boolean {
  return kind === 'auth' || kind === 'billing';
}

function cut(message: string): string {
  return shorten(message, ERROR_CHARACTERS).text;
}

import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { errorFingerprint } from '../model/error-fingerprint.js';
import { costModelOf } from '../model/policy.js';
import type { AgentErrorKind, EventBodies, NewEvent } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { TestResults } from '../model/test-results.js';
import { NOTHING_SPENT, addSpend, isSameSpend, type Spend } from '../model/usage.js';
import { listedContextWindow, priceReport } from '../observation/price-report.js';
import { AgentTools, EventBounds, type GreenWatch, shortId, withShortIds } from './agent-tools.js';
import { keepMessage, type OutputPlace } from './raw-output.js';
import { createPromptEcho, type PromptEcho, shorten, shortError, Speech } from './speech.js';
import { parseCommand } from '../agents/command.js';
import { jsonObject } from '../agents/agent-events.js';

const SUMMARY_CHARACTERS = 4000;
/** Of a question. */
const MOST_CHOICES = 20;
/** No agent has a longer one, and it must fit into the arguments or the environment of the next call. */
const SESSION_CHARACTERS = 1000;
/** What an agent tells before its model has answered anything: that it begins, and that it does not get through. */
const BEFORE_ANSWER: ReadonlySet<AgentEvent['kind']> = new Set(['session', 'retry', 'error', 'limit']);

/** What an agent's events came to in one iteration. */
export interface Narration {
  /** Records an event of the agent's. Must not be called after `end`. */
  tell(event: AgentEvent): void;
  end(): void;
  readonly result: AgentEventOf<'result'> | undefined;
  readonly limit: AgentEventOf<'limit'> | undefined;
  readonly lastError: string | undefined;
  /** Why it is trying again by itself, if nothing came since. */
  readonly retryReason: string | undefined;
  readonly lastMessage: string | undefined;
  /** The last that the agent itself said in this call: its result, else its last message. */
  readonly closing: string | undefined;
  /** How full the context window is, as far as it was reported. */
  readonly contextPercent: number | undefined;
  /** Read off the output of its own tools: only trusted. */
  readonly tests: TestResults | undefined;
  /** A refusal that no retry will change: the agent need not continue. */
  readonly refusal: AgentErrorKind | undefined;
  /** Something was shown that an agent shows only when its model has answered, or may have. */
  readonly hasAnswer: boolean;
  /** Events that are not in the record, because there were too many. */
  readonly droppedEvents: number;
}

/** What decides how an agent's events are recorded. */
export type NarratedSpec = Pick<RunSpec, 'policy' | 'prices' | 'tests' | 'parseTests'> & {
  readonly agent: Pick<RunSpec['agent'], 'model'>;
};

/** What a narration needs of its run. */
export interface NarratingRun {
  readonly spec: NarratedSpec;
  /** Never throws. */
  readonly record: (event: NewEvent) => void;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
  /** Wall time in milliseconds. */
  readonly now: () => number;
}

export interface NarrationOptions {
  readonly prompt: string;
  /** The part of the prompt that is the user's own: an echo of it alone is not the agent's either. */
  readonly ownPrompt?: string | undefined;
  /** The session that is continued. */
  readonly session?: string | undefined;
  /** Each request reports how full the context is, and the window is that of its model. */
  readonly contextOfRequests?: boolean | undefined;
  /** Requests are imported, and what they cost by their own account is what was billed. */
  readonly isBilled?: boolean | undefined;
  /** As far as it is known from before. */
  readonly windowTokens?: number | undefined;
  /** Where a message is kept that is too long for the journal. */
  readonly place?: OutputPlace | undefined;
  readonly green?: GreenWatch | undefined;
}

/** Turns what an agent shows into records: priced, shortened, searched for patterns. */
export function createNarration(run: NarratingRun, options: NarrationOptions): Narration {
  return new OpenNarration({ ...run, ...options });
}

class OpenNarration implements Narration {
  readonly #options: NarratingRun & NarrationOptions;
  readonly #speech: Speech;
  readonly #echo: PromptEcho;
  readonly #requests = new OpenRequests();
  #hasSpend = false;
  #windowTokens: number | undefined;
  #usedTokens: number | undefined;
  readonly #bounds = new EventBounds();
  readonly #tools: AgentTools;
  result: AgentEventOf<'result'> | undefined;
  limit: AgentEventOf<'limit'> | undefined;
  lastError: string | undefined;
  retryReason: string | undefined;
  refusal: AgentErrorKind | undefined;
  hasAnswer = false;

  constructor(options: NarratingRun & NarrationOptions) {
    this.#options = options;
    this.#windowTokens = options.windowTokens;
    this.#echo = createPromptEcho(options.prompt, options.ownPrompt);
    this.#tools = new AgentTools(options.spec, options.green);
    this.#speech = new Speech(options.spec.policy, (said) => options.record({ type: 'agent-said', ...said }));
  }

  get droppedEvents(): number {
    return this.#bounds.dropped;
  }

  get tests(): TestResults | undefined {
    return this.#tools.tests;
  }

  get lastMessage(): string | undefined {
    return this.#speech.last;
  }

  /** The text of a result that is no success is an error message. */
  get closing(): string | undefined {
    const { outcome, text = '' } = this.result ?? {};
    return outcome === 'success' && text.trim() !== '' ? text : this.#speech.closing;
  }

  get contextPercent(): number | undefined {
    const [used, window] = [this.#usedTokens, this.#windowTokens];
    const percent = ((used ?? Number.NaN) / (window ?? Number.NaN)) * 100;
    return Number.isFinite(percent) ? percent : undefined;
  }

  tell(event: AgentEvent): void {
    if (!BEFORE_ANSWER.has(event.kind)) this.hasAnswer = true;
    if (event.kind !== 'usage') this.retryReason = event.kind === 'retry' ? shortError(event.message) : undefined;
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
    if (this.#bounds.lateContext !== undefined) this.#options.record(this.#bounds.lateContext);
    // An agent that was never let in has used nothing.
    if (this.refusal === undefined || this.#hasSpend) return;
    this.#options.record({ type: 'usage-reported', scope: 'turn', spend: NOTHING_SPENT });
  }

  #tellTyped(event: Exclude<AgentEvent, { readonly kind: 'output' }>): void {
    switch (event.kind) {
      case 'text':
        return this.#speech.message(event.text);
      case 'tool-call':
        return this.#recordWithin(this.#tools.called(event));
      case 'tool-result':
        return this.#recordWithin(this.#tools.answered(event));
      case 'usage':
        return this.#usage(event);
      case 'session':
        return this.#session(event.id);
      case 'message':
        return this.#message(event);
      case 'question':
        return this.#question(event);
      case 'answered':
        return this.#options.record({ type: 'waiting-ended', reason: event.reason });
      case 'context':
        this.#windowTokens = event.windowTokens ?? this.#windowTokens;
        this.#usedTokens = event.usedTokens ?? this.#usedTokens;
        return this.#context();
      case 'limit':
        return this.#limit(event);
      case 'retry':
        // A login or a bill that is refused stays refused: the agent's own retries would only cost time.
        return isRefusal(event.error) ? this.#error(event.error, event.message) : undefined;
      case 'error':
        return this.#error(event.error, event.message);
      case 'permission-denied':
        return this.#recordWithin(this.#tools.denied(event));
      case 'result':
        return this.#result(event);
      default:
        return event satisfies never;
    }
  }

  #question({ text, choices = [] }: AgentEventOf<'question'>): void {
    const kept = choices.slice(0, MOST_CHOICES).map(shortError);
    const asked = { type: 'waiting-started', for: 'answer', reason: shortError(text) } as const;
    this.#options.record(kept.length === 0 ? asked : { ...asked, choices: kept });
  }

  #recordWithin(event: NewEvent): void {
    if (this.#bounds.admit(event)) this.#options.record(event);
  }

  #session(id: string): void {
    if (id.length > SESSION_CHARACTERS || id.includes('\0')) return;
    this.#recordWithin({ type: 'session-opened', session: id, resumed: id === this.#options.session });
  }

  #message({ session, index, message, call, purpose }: AgentEventOf<'message'>): void {
    const { record, place, redact } = this.#options;
    const body =
      place === undefined ? { message } : keepMessage(place, `${shortId(session)}.${index}`, message, redact);
    record({ type: 'message-recorded', session, index, ...body, call, purpose });
  }

  #limit(event: AgentEventOf<'limit'>): void {
    const message = shortError(event.message);
    this.limit = { ...event, message };
    this.#recordWithin({ type: 'limit-hit', kind: event.limit, resetsAt: event.resetsAt, message });
  }

  #usage(event: AgentEventOf<'usage'>): void {
    const { record } = this.#options;
    this.#hasSpend = true;
    const told = withShortIds(event);
    if (told.scope !== 'request') {
      record({ type: 'usage-reported', ...this.#priced(this.#sum(told), told.model) });
      if (told.scope === 'turn') this.#requests.clear();
      return;
    }
    const named = this.#requests.modelOf(told.id, told.model);
    const report = this.#priced({ ...told, model: named ?? this.#options.spec.agent.model }, named);
    if (!this.#requests.isNews(report)) return;
    record({ type: 'usage-reported', ...report });
    this.#usedTokens = report.spend.totalTokens ?? this.#usedTokens;
    if (this.#options.contextOfRequests === true) this.#windowTokens = this.#listedWindow(report.model);
    this.#context();
  }

  /** A request that is larger than the window of the list was made with another window. */
  #listedWindow(model: string | undefined): number | undefined {
    const windowTokens = model === undefined ? undefined : listedContextWindow(model);
    return windowTokens === undefined || (this.#usedTokens ?? 0) > windowTokens ? undefined : windowTokens;
  }

  #priced(event: AgentEventOf<'usage'>, named: string | undefined): EventBodies['usage-reported'] {
    const { spec, now, isBilled } = this.#options;
    if (isBilled === true && event.spend.costUsd !== undefined) {
      const { model, ...report } = event;
      return { ...priceReport(report, { prices: {}, at: new Date(now()) }), model };
    }
    return priceReport(event, {
      prices: spec.prices,
      at: new Date(now()),
      likelyModel: this.#requests.onlyModel ?? spec.agent.model,
      costModel: named === undefined ? costModelOf(spec.policy) : undefined,
    });
  }

  /** Requests that were all seen have their price; only what they leave open does the agent's own figure tell. */
  #sum(event: AgentEventOf<'usage'>): AgentEventOf<'usage'> {
    return this.#requests.covers(event.spend) ? { ...event, spend: { ...event.spend, costUsd: undefined } } : event;
  }

  #context(): void {
    const [usedTokens, windowTokens] = [this.#usedTokens, this.#windowTokens];
    if (usedTokens === undefined || windowTokens === undefined) return;
    this.#recordWithin({ type: 'context-reported', usedTokens, windowTokens });
  }

  #error(kind: AgentErrorKind, message: string): void {
    this.lastError = shortError(message);
    if (isRefusal(kind)) this.refusal = kind;
    this.#recordWithin({
      type: 'error-seen',
      kind,
      message: this.lastError,
      fingerprint: errorFingerprint(this.#options.redact(message)),
    });
  }

  #result(event: AgentEventOf<'result'>): void {
    this.result = event;
    const { outcome, text } = event;
    this.#recordWithin({
      type: 'agent-finished',
      summary: text === undefined ? undefined : shorten(text, SUMMARY_CHARACTERS).text,
      stoppedBy: outcome === 'budget' || outcome === 'turns' ? outcome : undefined,
    });
  }
}

function isRefusal(kind: AgentErrorKind): boolean {
  return kind === 'auth' || kind === 'billing';
}

/** Requests that are remembered one by one; of those before, the sum. */
const REMEMBERED = 256;

/** The requests of a turn under way. An agent that invents them without end costs no more memory than a few. */
class OpenRequests {
  readonly #models = new Map<string, string>();
  readonly #spends = new Map<string, Spend>();
  #earlier: Spend = NOTHING_SPENT;
  #unnamed = 0;
  #priced: boolean | undefined;
  #model: string | undefined;

  /** Whether Pawl has priced these requests, and a report of their sum has no more tokens than they have. */
  covers({ inputTokens = 0, outputTokens = 0 }: Spend): boolean {
    if (this.#priced !== true) return false;
    const sum = [...this.#spends.values()].reduce<Spend>(addSpend, this.#earlier);
    return (sum.inputTokens ?? 0) >= inputTokens && (sum.outputTokens ?? 0) >= outputTokens;
  }

  /** The model of all requests so far; undefined when there are several, or none. */
  get onlyModel(): string | undefined {
    return this.#model === '' ? undefined : this.#model;
  }

  /** The model of a request: a later report may leave it out. */
  modelOf(id: string | undefined, named: string | undefined): string | undefined {
    if (id === undefined) return named;
    if (named === undefined) return this.#models.get(id);
    this.#models.set(id, named);
    if (this.#models.size > REMEMBERED) this.#models.delete(oldestOf(this.#models));
    return named;
  }

  /** A request is reported several times, mostly with the same figures: then there is nothing new in it. */
  isNews({ id, model, spend, rates }: EventBodies['usage-reported']): boolean {
    const known = id === undefined ? undefined : this.#spends.get(id);
    if (known !== undefined && isSameSpend(known, spend)) return false;
    this.#unnamed += 1;
    this.#priced = (this.#priced ?? true) && rates !== undefined;
    this.#model = this.#model === undefined || this.#model === model ? (model ?? '') : '';
    this.#spends.set(id ?? `\0${this.#unnamed}`, spend);
    if (this.#spends.size > REMEMBERED) this.#closeOldest();
    return true;
  }

  clear(): void {
    this.#models.clear();
    this.#spends.clear();
    this.#earlier = NOTHING_SPENT;
    this.#priced = undefined;
  }

  #closeOldest(): void {
    const id = oldestOf(this.#spends);
    this.#earlier = addSpend(this.#earlier, this.#spends.get(id) ?? NOTHING_SPENT);
    this.#spends.delete(id);
  }
}

function oldestOf(map: ReadonlyMap<string, unknown>): string {
  const [oldest = ''] = map.keys();
  return oldest;
}

/** What a command that is no agent tells of its spend, by the messages of docs/guide/own-agent.md. */
interface ReportedUsage {
  /** Records the spend that a line reports, with its price; false for a line that is about something else. */
  read(line: string): boolean;
  /** A report came without usable figures: something was spent, and no one knows how much. */
  readonly isUnknown: boolean;
}

export function createReportedUsage(run: NarratingRun): ReportedUsage {
  const { spec } = run;
  // A report that names no model is not of the agent's: it has the cost that it tells.
  const own = { ...spec, agent: { ...spec.agent, model: undefined } };
  const narration = createNarration({ ...run, spec: own }, { prompt: '' });
  let isUnknown = false;
  return {
    read(line) {
      if (jsonObject(line)?.['pawl'] !== 'usage') return false;
      const usage = parseCommand(line).find(({ kind }) => kind === 'usage');
      if (usage === undefined) isUnknown = true;
      else narration.tell(usage);
      return true;
    },
    get isUnknown() {
      return isUnknown;
    },
  };
}

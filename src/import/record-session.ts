import { createNarration, type Narration } from '../iteration/narrate.js';
import { ToolTrace } from '../iteration/run-iteration.js';
import type { RecordWriter } from '../journal/record-writer.js';
import type { Redactor } from '../journal/redact.js';
import type { AgentEvent } from '../model/agent-event.js';
import { LABEL_PATH } from '../model/outcome.js';
import { EMPTY_POLICY } from '../model/policy.js';
import type { NewEvent } from '../model/run-event.js';
import { taskLine } from '../model/run-name.js';
import type { Claim } from '../model/claim.js';
import { addSpend, isSameSpend, largerSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import { asksPerson } from '../observation/message/asks-person.js';
import { closingOf, summaryOf } from '../observation/message/closing.js';
import { claimAtEnd } from '../observation/message/status-line.js';
import type { AboutSession, SessionPart } from './session-part.js';

/** What the benchmark, or a person, says of the result of a session. */
export type Label = 'resolved' | 'unresolved';

export interface SessionSettings {
  /** The tool that recorded it. */
  readonly source: string;
  readonly pawl: string;
  /** `runs`: the whole session is one iteration. */
  readonly as: 'calls' | 'runs';
  /** When nothing in it says when it was. */
  readonly fallbackMs: number;
  /** What the run is called where nothing says what the agent was asked. */
  readonly name: string;
  readonly label?: Label | undefined;
  readonly redactor: Redactor;
  /** Begins the record of a run that started then. */
  readonly open: (startedMs: number) => RecordWriter;
}

interface OpenCall {
  readonly iteration: number;
  readonly startedMs: number;
  readonly narration: Narration;
  readonly trace: ToolTrace;
  hasTools: boolean;
}

/** Of parts that do not say when they were. */
const MOST_WAITING = 200;

/** No tool has recorded anything after it. */
const LATEST_MS = Date.parse('2100-01-01');

/** Not a number for what cannot be the time of a session. */
function timeOf(at: string | undefined): number {
  const ms = Date.parse(at ?? '');
  return ms >= 0 && ms < LATEST_MS ? ms : Number.NaN;
}

const CLASS_OF_LABEL = { resolved: 'goal', unresolved: 'failure' } as const;

/** Makes a record of a session that another tool has recorded. What it does not say is left out, never guessed. */
export class SessionRecorder {
  readonly #settings: SessionSettings;
  /** The largest report of each request: some are repeated. */
  readonly #requests = new Map<string, Spend>();
  /** Parts before the first that says when it was. */
  #waiting: SessionPart[] | undefined = [];
  /** The record begins with what is known by the first call. */
  #about: AboutSession = {};
  #before: AgentEvent[] = [];
  #writer: RecordWriter | undefined;
  #open: OpenCall | undefined;
  #currentId: string | undefined;
  #startedMs = 0;
  #nowMs = 0;
  /** A person wrote since: the time until the next event is not the agent's. */
  #isIdle = true;
  #activeMs = 0;
  #turns: Spend | undefined;
  #total: Spend | undefined;
  calls = 0;

  constructor(settings: SessionSettings) {
    this.#settings = settings;
  }

  add(part: SessionPart): void {
    const ms = 'at' in part ? timeOf(part.at) : Number.NaN;
    this.#waiting?.push(part);
    if (this.#waiting === undefined) this.#take(part);
    else if (!Number.isNaN(ms)) this.#startAt(ms);
    else if (this.#waiting.length >= MOST_WAITING) this.#startAt(this.#settings.fallbackMs);
  }

  #startAt(ms: number): void {
    this.#startedMs = ms;
    this.#nowMs = ms;
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const part of waiting) this.#take(part);
  }

  #take(part: SessionPart): void {
    switch (part.kind) {
      case 'about':
        return this.#learn(part.about);
      case 'call':
        return this.#call(part.id, part.at);
      case 'event':
        this.#pass(part.at);
        return this.#event(part.event);
      case 'prompt':
        this.#isIdle = true;
        return this.#pass(part.at);
      case 'handed-in':
        if (this.#open !== undefined) this.#claim({ claim: 'done', evidence: part.evidence });
        return;
      case 'total':
        this.#total = part.spend;
        return;
      case 'turn':
        this.#turns = addSpend(this.#turns ?? NOTHING_SPENT, part.spend);
        return;
      default:
        return part satisfies never;
    }
  }

  /** The whole record; undefined for a session without a single call. */
  finish(): RecordWriter | undefined {
    if (this.#waiting !== undefined) this.#startAt(this.#settings.fallbackMs);
    const total = this.#total ?? this.#turns;
    if (total !== undefined) this.#open?.narration.tell({ kind: 'usage', scope: 'session-total', spend: total });
    this.#endCall();
    if (this.#writer === undefined) return undefined;
    const { label } = this.#settings;
    if (label === undefined) {
      this.#record({ type: 'run-ended', state: 'stopped', reasons: [] });
      return this.#writer;
    }
    const stopClass = CLASS_OF_LABEL[label];
    this.#record({
      type: 'run-ended',
      state: label === 'resolved' ? 'completed' : 'stopped',
      class: stopClass,
      reasons: [{ path: LABEL_PATH, class: stopClass, message: `labelled as ${label}` }],
    });
    return this.#writer;
  }

  /** What is known of the session so far. */
  get about(): AboutSession {
    return this.#about;
  }

  /** Leaves nothing behind. */
  discard(): void {
    this.#open?.narration.end();
    this.#writer?.discard();
  }

  #learn(about: AboutSession): void {
    const known = Object.entries(about).filter(([, value]) => value !== undefined && value !== '');
    this.#about = { ...(Object.fromEntries(known) as AboutSession), ...this.#about };
  }

  /** Time that passed while a person was asked is not the agent's. */
  #pass(at: string | undefined): void {
    const ms = timeOf(at);
    if (Number.isNaN(ms)) return;
    if (!this.#isIdle) this.#activeMs += Math.max(0, ms - this.#nowMs);
    this.#isIdle = false;
    this.#nowMs = Math.max(ms, this.#nowMs);
  }

  /** A call may come again: its blocks are lines of their own, and those of a subagent may be between them. */
  #call(id: string | undefined, at: string | undefined): void {
    const beforeMs = this.#activeMs;
    this.#pass(at);
    if (id !== undefined && (id === this.#currentId || this.#requests.has(id))) return;
    if (id !== undefined) this.#requests.set(id, NOTHING_SPENT);
    this.#currentId = id;
    this.calls += 1;
    if (this.#open !== undefined && this.#settings.as === 'runs') return;
    this.#endCall(beforeMs);
    this.#startCall(this.#writer ?? this.#begin(), beforeMs);
  }

  #event(event: AgentEvent): void {
    if (event.kind === 'usage' && !this.#isNews(event)) return;
    if (this.#open === undefined) {
      if (this.#before.length < MOST_WAITING) this.#before.push(event);
      return;
    }
    if (event.kind === 'tool-call') this.#open.hasTools = true;
    this.#open.narration.tell(event);
    this.#open.trace.add(event);
  }

  #isNews({ id, spend }: AgentEvent & { readonly kind: 'usage' }): boolean {
    if (id === undefined) return true;
    const known = this.#requests.get(id) ?? NOTHING_SPENT;
    const larger = known === NOTHING_SPENT ? spend : largerSpend(known, spend);
    this.#requests.set(id, larger);
    return !isSameSpend(known, larger);
  }

  #begin(): RecordWriter {
    const { source, pawl, name, open } = this.#settings;
    const { agent, version, model, prompt } = this.#about;
    const writer = open(this.#startedMs);
    this.#writer = writer;
    const event: NewEvent = {
      type: 'run-started',
      runId: writer.runId,
      kind: 'imported',
      policy: EMPTY_POLICY,
      agent: { name: agent ?? source, usage: 'live', model },
      versions: { pawl, ...(version === undefined ? {} : { [source]: version }) },
      task: taskLine(prompt ?? '') ?? name,
    };
    writer.append(event, { at: new Date(this.#startedMs).toISOString(), activeMs: 0 });
    return writer;
  }

  #startCall(writer: RecordWriter, startedMs: number): void {
    const iteration = writer.state.iterations + 1;
    this.#record({ type: 'iteration-started', iteration, try: 1 });
    const { text: redact } = this.#settings.redactor;
    const { folder = '/', model } = this.#about;
    const narration = createNarration(
      {
        spec: { policy: EMPTY_POLICY, prices: {}, parseTests: true, agent: { model } },
        record: (event) => this.#record(event),
        redact,
        now: () => this.#nowMs,
      },
      { prompt: '', contextOfRequests: true, isBilled: true },
    );
    this.#open = {
      iteration,
      startedMs,
      narration,
      trace: new ToolTrace(folder, redact),
      hasTools: false,
    };
    for (const event of this.#before.splice(0)) this.#event(event);
  }

  #endCall(endedMs = this.#activeMs): void {
    if (this.#open === undefined) return;
    const { narration, trace, iteration, startedMs, hasTools } = this.#open;
    narration.end();
    const { result, lastError, lastMessage } = narration;
    // An agent that calls a tool has more to say.
    const closing = hasTools && result === undefined ? undefined : narration.closing;
    const hasWords = closing !== undefined && closing.trim() !== '';
    const claim = hasWords ? claimAtEnd(closing) : undefined;
    if (claim !== undefined) this.#claim(claim);
    const isFailed = result?.outcome === 'error' || (result === undefined && lastError !== undefined);
    this.#record({
      type: 'iteration-ended',
      iteration,
      outcome: isFailed ? 'failed' : 'completed',
      agentStarted: true,
      durationMs: Math.round(endedMs - startedMs),
      ...(isFailed && lastError !== undefined ? { error: lastError } : {}),
      observation: {
        summary: summaryOf(result?.text, lastMessage),
        ...(hasWords ? { request: asksPerson(closing) ?? { kind: 'none' }, closing: closingOf(closing) } : {}),
        contextPercent: narration.contextPercent,
        tests: narration.tests,
        ...trace.observed,
      },
    });
    this.#open = undefined;
  }

  #claim(claim: Claim): void {
    this.#record({ type: 'claim-made', ...claim, by: 'the agent' });
  }

  #record(event: NewEvent): void {
    const at = new Date(this.#nowMs).toISOString();
    this.#writer?.append(event, { at, activeMs: this.#activeMs });
  }
}

import type { Interrupt } from '../iteration/interrupt.js';
import { InvalidState } from '../model/errors.js';
import { itemAt } from '../model/item-state.js';
import type { LoopCommand } from '../model/loop-command.js';
import { isTerminal } from '../model/loop-state.js';
import { policyEntries } from '../model/policy.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { ActiveClock } from '../run/active-clock.js';
import { type CommandEffect, effectOf } from '../run/command-effect.js';
import { refusalOf, wordOf } from '../run/command-legality.js';
import { DayWatch } from '../run/day-watch.js';
import { Intermission } from '../run/intermission.js';
import { LIVE_EVENTS } from '../run/live-events.js';
import { Recorder } from '../run/recorder.js';
import { Ticker } from '../run/ticker.js';
import { evaluateLive, evaluateRun, ITEMS_PATH } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { hasRoom } from './attempt-room.js';
import { Bell } from './bell.js';
import { ItemQueue } from './item-queue.js';
import { leftOutVerdict } from './left-out.js';
import type { PipelineParts } from './pipeline-parts.js';
import type { ItemEffects } from './run-items.js';
import { finishItem, type ItemWork, workOnItem } from './work-on-item.js';

const LONGEST_BACKOFF_MS = 60_000;
/** What is asked of one agent in a loop has no meaning for many side by side. */
const NOT_HERE: ReadonlySet<LoopCommand['type']> = new Set(['skip', 'reboot', 'steer', 'approve', 'reject'] as const);

/** One pipeline while its process lives: the scheduler's effects, the commands, the interruptions. */
export class LivePipeline implements ItemEffects {
  readonly #parts: PipelineParts;
  readonly #clock: ActiveClock;
  readonly #recorder: Recorder;
  readonly #ticker: Ticker;
  readonly #dayWatch: DayWatch | undefined;
  readonly #intermission: Intermission;
  readonly #bell = new Bell();
  readonly #interruption = new AbortController();
  #queue: ItemQueue | undefined;
  /** What the run ends with. What is in flight then counts in the statistics, not in the reason. */
  #halting: Verdict | undefined;
  #attemptsInFlight = 0;
  #itemsInFlight = 0;
  #restedTries = 0;
  #broken: unknown;

  constructor(parts: PipelineParts) {
    const { journal, now, ledger, spec } = parts.run;
    this.#parts = parts;
    this.#clock = new ActiveClock(journal.state.activeMs);
    this.#recorder = new Recorder({
      journal,
      clock: this.#clock,
      onRecorded: ({ type }) => this.#onRecorded(type),
      onBroken: () => this.#interrupt('broken'),
    });
    const state = () => this.state;
    this.#ticker = new Ticker({ state, clock: this.#clock, now, tick: () => this.#recorder.live({ type: 'tick' }) });
    this.#dayWatch = ledger && new DayWatch({ ledger, state, record: this.#recorder.live, now });
    this.#intermission = new Intermission({
      spec,
      state,
      record: (event) => this.record(event),
      now,
      stopClock: () => this.#stopClock(),
      startClock: () => this.begin(),
      onPaused: async () => undefined,
    });
  }

  get state(): RunState {
    return this.#parts.run.journal.state;
  }

  get concurrency(): number {
    return this.#parts.plan.pipeline.concurrency;
  }

  /** Active time runs from here on. */
  begin(): void {
    this.#clock.start();
    this.#ticker.arm();
  }

  #stopClock(): void {
    this.#clock.stop();
    this.#ticker.arm();
  }

  watchDay(): void {
    this.#dayWatch?.begin();
  }

  close(): void {
    this.#dayWatch?.end();
    this.#ticker.stop();
    this.#clock.stop();
  }

  record(event: NewEvent): void {
    this.#recorder.boundary(event);
  }

  /** Records what an attempt tells while it works. Never throws. */
  readonly recordLive = (event: NewEvent): void => this.#recorder.live(event);

  note(event: NewEvent): boolean {
    if (isTerminal(this.state.status)) return false;
    this.#recorder.live(event);
    return true;
  }

  /** Ends what needs no further attempt, and makes the row of the others. `halting`: what it was about to end with. */
  async prepare(halting: Verdict | undefined): Promise<void> {
    const { plan, only } = this.#parts;
    this.#queue = new ItemQueue(plan.items.length, (index) => this.#isLeft(index) && (only?.has(index) ?? true));
    for (const index of plan.items.keys()) {
      // oxlint-disable-next-line no-await-in-loop -- there are few of them
      if (this.#isLeft(index) && itemAt(this.state.pipeline?.states, index)) await finishItem(this.#workOn(index));
    }
    this.#halting ??= halting;
    this.#judge();
  }

  verdict(): Verdict | undefined {
    if (this.#broken !== undefined) throw this.#broken;
    this.#recorder.check();
    const isDone = this.#itemsInFlight === 0 && this.#queue?.isEmpty === true;
    this.#halting ??= isDone ? leftOutVerdict(this.state) : undefined;
    return this.#halting;
  }

  isToRest(): boolean {
    const { pauseAsked, limitedSince, limitedTries = 0 } = this.state;
    return pauseAsked !== undefined || (limitedSince !== undefined && limitedTries > this.#restedTries);
  }

  async rest(): Promise<void> {
    if ((await this.#intermission.rest()) === 'rested') this.#restedTries = this.state.limitedTries ?? 0;
  }

  next(): number | undefined {
    const index = this.#queue?.take();
    // One that was given back may have become final since.
    return index === undefined || this.#isLeft(index) ? index : this.next();
  }

  async work(index: number): Promise<void> {
    this.#itemsInFlight += 1;
    try {
      await workOnItem(this.#workOn(index));
    } catch (error) {
      this.#broken ??= error;
      this.#interrupt('broken');
    } finally {
      this.#itemsInFlight -= 1;
      if (this.#isLeft(index)) this.#queue?.giveBack(index);
    }
  }

  change(): Promise<void> {
    return this.#bell.heard();
  }

  changed(): void {
    this.#bell.ring();
  }

  async end(verdict: Verdict): Promise<void> {
    // Those that were still in flight may have been the last ones, and all is well.
    const now = evaluateRun(this.state);
    const { class: stopClass, reasons } = now.class === 'goal' ? now : verdict;
    const isOver = stopClass === 'goal' || reasons[0]?.path === ITEMS_PATH;
    this.record({ type: 'run-ended', state: isOver ? 'completed' : 'stopped', class: stopClass, reasons });
  }

  /** The run itself is broken. Throws when the record does not take it. */
  fail(message: string): void {
    this.#recorder.last({ type: 'run-ended', state: 'error', reasons: [], error: message });
  }

  /** Handles one command, at once. Throws InvalidState when the state does not allow it. */
  send(command: LoopCommand, by: string): CommandEffect {
    const { state } = this;
    const refused = NOT_HERE.has(command.type)
      ? `cannot ${wordOf(command)} a pipeline: it works on many items, each with a fresh agent`
      : refusalOf(command, state);
    this.#recorder.live({ type: 'command-received', command, by, refused });
    if (refused !== undefined) throw new InvalidState(state.status, wordOf(command), refused);
    if (command.type === 'extend') this.#recorder.live({ type: 'limit-extended', limit: command.limit, by });
    if (command.type === 'pause' || command.type === 'resume') this.#intermission.wake();
    else this.#intermission.disturb();
    this.#ticker.arm();
    this.#bell.ring();
    return effectOf(command, state);
  }

  #workOn(index: number): ItemWork {
    const { plan, attempt, place } = this.#parts;
    const item = plan.items[index];
    if (item === undefined) throw new TypeError(`there is no item ${index}`);
    return {
      item,
      index,
      maxAttempts: plan.pipeline.retry.maxAttempts,
      state: () => itemAt(this.state.pipeline?.states, index),
      record: (event) => this.record(event),
      durable: async () => this.#parts.run.journal.synced?.(),
      mayBegin: (number) => this.#mayBegin(number),
      claim: () => this.#claim(),
      release: () => {
        this.#attemptsInFlight -= 1;
        this.#bell.ring();
      },
      attempt: (task) => attempt(task, this.#interruption.signal),
      place: (number, hash) => place(index, number, hash),
    };
  }

  #isLeft(index: number): boolean {
    const item = itemAt(this.state.pipeline?.states, index);
    return this.#parts.plan.items[index] !== undefined && item?.status === undefined && item?.isWithdrawn !== true;
  }

  /** Waits for the backoff, and until no count of attempts can be overrun. */
  async #mayBegin(attempt: number): Promise<boolean> {
    const { backoffMs } = this.#parts.plan.pipeline.retry;
    const waitMs = attempt < 2 ? 0 : Math.min(LONGEST_BACKOFF_MS, backoffMs * 2 ** (attempt - 2));
    const dueMs = performance.now() + waitMs;
    while (!this.#isHeld()) {
      const leftMs = dueMs - performance.now();
      if (leftMs <= 0 && hasRoom(this.state, this.#attemptsInFlight)) return true;
      // oxlint-disable-next-line no-await-in-loop -- until there is room
      await this.#bell.heard(leftMs > 0 ? leftMs : undefined);
    }
    return false;
  }

  #claim(): boolean {
    if (this.#isHeld() || !hasRoom(this.state, this.#attemptsInFlight)) return false;
    this.#attemptsInFlight += 1;
    return true;
  }

  /** Nothing new may be begun. */
  #isHeld(): boolean {
    return this.#halting !== undefined || this.#interruption.signal.aborted || this.isToRest();
  }

  #onRecorded(type: NewEvent['type']): void {
    if (type === 'usage-reported') this.#dayWatch?.note();
    if (type === 'attempt-ended' || type === 'item-ended') this.#judge();
    else if (LIVE_EVENTS.has(type)) this.#judgeLive();
  }

  /** After every attempt and every item: what crosses a threshold is the last that is begun. */
  #judge(): void {
    if (this.#halting !== undefined || isTerminal(this.state.status)) return;
    const verdict = evaluateRun(this.state);
    if (verdict.stop) this.#halting = verdict;
    // Conditions that count verdicts need every one; without them only the last is worth a record.
    if (!verdict.stop && !this.#countsVerdicts()) return;
    this.#recorder.live({ type: 'verdict-reached', iteration: this.state.iterations, verdict });
    if (verdict.stop) this.#wakeAll();
  }

  #countsVerdicts(): boolean {
    return policyEntries(this.state.policy).some(({ condition }) => JSON.stringify(condition).includes('"for"'));
  }

  /** What cannot wait until an attempt has ended: money, time, and an operator in a hurry. */
  #judgeLive(): void {
    if (isTerminal(this.state.status)) return;
    const live = evaluateLive(this.state.policy, factsOf(this.state));
    this.#judge();
    if (!live.stop) return;
    this.#halting ??= live;
    const { class: stopClass } = live;
    this.#interrupt(stopClass === 'operator' || stopClass === 'failure' ? stopClass : 'limit');
  }

  #interrupt(why: Interrupt): void {
    if (!this.#interruption.signal.aborted) this.#interruption.abort(why);
    this.#wakeAll();
  }

  #wakeAll(): void {
    this.#intermission.disturb();
    this.#bell.ring();
  }
}

import type { Interrupt } from '../iteration/stop-signal.js';
import { eachItem, itemAt } from '../model/item-state.js';
import { type LoopCommand, wordOf } from '../model/loop-command.js';
import { type EventType, LIVE_EVENTS, type NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { isWaitDue } from '../model/wait-policy.js';
import type { CommandEffect } from '../run/command-legality.js';
import { watchFolder } from '../run/start-checks.js';
import { LiveCore } from '../run/live-core.js';
import { evaluateRun, ITEMS_PATH } from '../stop/evaluate-policy.js';
import { AttemptGate } from './attempt-gate.js';
import { AttemptInterruption } from './attempt-interruption.js';
import { Bell, ItemQueue, type ItemEffects } from './run-items.js';
import { PipelineJudge } from './pipeline-judge.js';
import type { PipelineParts } from './pipeline-parts.js';
import { finishItem, type ItemWork, workOnItem } from './work-on-item.js';
import { endedItems } from '../model/pipeline-counts.js';
import { plural } from '../model/figures.js';

/** What is asked of one agent in a loop has no meaning for many side by side. */
const NOT_HERE: ReadonlySet<LoopCommand['type']> = new Set(['skip', 'reboot', 'steer', 'approve', 'reject'] as const);

/** One pipeline while its process lives: the scheduler's effects, what commands mean to it, the interruptions. */
export class LivePipeline implements ItemEffects {
  readonly core: LiveCore;
  readonly #parts: PipelineParts;
  readonly #judge: PipelineJudge;
  readonly #gate: AttemptGate;
  readonly #bell = new Bell();
  readonly #interruption = new AttemptInterruption();
  readonly #checkFolder: () => void;
  #queue: ItemQueue | undefined;
  #itemsInFlight = 0;
  #broken: unknown;

  constructor(parts: PipelineParts) {
    const state = () => this.state;
    const { backoffMs } = parts.plan.pipeline.retry;
    this.#parts = parts;
    this.#checkFolder = watchFolder(parts.run);
    this.core = new LiveCore({
      parts: parts.run,
      onRecorded: ({ type }) => this.#onRecorded(type),
      onBroken: () => this.#interrupt('broken'),
    });
    this.#judge = new PipelineJudge({ state, record: this.core.record, onHalt: () => this.#wakeAll() });
    this.#gate = new AttemptGate({ state, isHeld: () => this.#isHeld(), bell: this.#bell, backoffMs });
  }

  get state(): RunState {
    return this.core.state;
  }

  get concurrency(): number {
    return this.#parts.plan.pipeline.concurrency;
  }

  record(event: NewEvent): void {
    this.core.record(event);
  }

  /** Records what an attempt reports. */
  recordOfAttempt(event: NewEvent): void {
    const wasSpent = this.#interruption.isSpent;
    this.core.record(event);
    if (wasSpent || !this.#interruption.isSpent || event.type !== 'usage-reported') return;
    if ((event.audit === true || event.review === true) && event.index !== undefined)
      this.#interruption.endAudit(event.index);
  }

  /** Ends what needs no further attempt, and makes the row of the others. `halting`: what it was about to end with. */
  async prepare(halting: Verdict | undefined): Promise<void> {
    const { plan, only } = this.#parts;
    this.#queue = new ItemQueue(plan.items.length, (index) => this.#isLeft(index) && (only?.has(index) ?? true));
    for (const index of plan.items.keys()) {
      // oxlint-disable-next-line no-await-in-loop -- there are few of them
      if (this.#isLeft(index) && itemAt(this.state.pipeline?.states, index)) await finishItem(this.#workOn(index));
    }
    this.#judge.halt(halting);
    this.#judge.judge();
  }

  verdict(): Verdict | undefined {
    if (this.#broken !== undefined) throw this.#broken;
    this.core.checkRecord();
    const isDone = this.#itemsInFlight === 0 && this.#queue?.isEmpty === true;
    if (isDone && this.#judge.halting === undefined) this.#judge.halt(leftOutVerdict(this.state));
    return this.#judge.halting;
  }

  isToRest(): boolean {
    return this.state.requests.pause !== undefined || isWaitDue(this.state);
  }

  async rest(): Promise<void> {
    await this.core.intermission.rest();
  }

  next(): number | undefined {
    let index = this.#queue?.take();
    // One that was given back, or had only to be ended, may have become final since.
    while (index !== undefined && !this.#isLeft(index)) index = this.#queue?.take();
    return index;
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
    const isLost = await this.#failLost();
    const now = evaluateRun(this.state);
    if (isLost) this.record({ type: 'verdict-reached', iteration: this.state.iterations, verdict: now });
    // Those that were still in flight may have been the last ones, and all is well.
    const { class: stopClass, reasons } = now.class === 'goal' || (isLost && now.stop) ? now : verdict;
    const isOver = stopClass === 'goal' || reasons[0]?.path === ITEMS_PATH;
    this.record({ type: 'run-ended', state: isOver ? 'completed' : 'stopped', class: stopClass, reasons });
  }

  /** What was approved and is not in its place any more is not made again: anyone who removed it may do so again. */
  async #failLost(): Promise<boolean> {
    const made = [...eachItem(this.state.pipeline?.states)].flatMap(([index, { status, hash }]) =>
      status === 'approved' && hash !== undefined ? [[index, hash] as const] : [],
    );
    const lost = await this.#parts.lost(made);
    for (const index of lost) {
      const item = itemAt(this.state.pipeline?.states, index)?.item ?? '';
      const message = 'its approved output is missing or has changed';
      const end = { outcome: 'failed', reasons: ['OUTPUT_LOST'], message, agentStarted: false, durationMs: 0 } as const;
      this.record({ type: 'item-reopened', item, index, isLost: true });
      this.record({ type: 'attempt-ended', item, index, attempt: 1, ...end });
      this.record({ type: 'item-ended', item, index, status: 'failed', attempts: 1 });
    }
    return lost.length > 0;
  }

  /** The run itself is broken. Throws when the record does not take it. */
  fail(message: string): void {
    this.core.fail(message);
  }

  /** Handles one command, and says what comes of it. Throws InvalidState when it is refused. */
  send(command: LoopCommand, by: string): CommandEffect {
    const refusal = NOT_HERE.has(command.type)
      ? `cannot ${wordOf(command)} a pipeline: it works on many items, each with a fresh agent`
      : undefined;
    return this.core.send(command, by, { refusal, onTaken: () => this.#bell.ring() });
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
      record: (event) => {
        this.core.record(event);
        this.core.checkRecord();
        if (event.type === 'attempt-ended') this.#checkFolder();
      },
      durable: async () => this.#parts.run.journal.synced?.(),
      mayBegin: async (number) => {
        const may = await this.#gate.mayBegin(number);
        if (may) this.#checkFolder();
        return may;
      },
      claim: () => this.#gate.claim(),
      release: () => this.#gate.release(),
      attempt: (task) => this.#interruption.during(index, (signals) => attempt(task, signals)),
      place: (number, hash) => place(index, number, hash),
    };
  }

  #isLeft(index: number): boolean {
    const item = itemAt(this.state.pipeline?.states, index);
    return this.#parts.plan.items[index] !== undefined && item?.status === undefined && item?.isWithdrawn !== true;
  }

  /** Nothing new may be begun. */
  #isHeld(): boolean {
    return this.#judge.halting !== undefined || this.#interruption.isAborted || this.isToRest();
  }

  #onRecorded(type: EventType): void {
    if (type === 'attempt-ended' || type === 'item-ended') this.#judge.judge();
    if (!LIVE_EVENTS.has(type)) return;
    const why = this.#judge.judgeLive();
    if (why === 'spend') this.#interruption.endSpending();
    else if (why !== undefined) this.#interrupt(why);
  }

  #interrupt(why: Interrupt): void {
    this.#interruption.endAll(why);
    this.#wakeAll();
  }

  #wakeAll(): void {
    this.core.intermission.disturb();
    this.#bell.ring();
  }
}

/** What a run ends with when no one may work on the items that are left. */
function leftOutVerdict(state: RunState): Verdict {
  const verdict = evaluateRun(state);
  const { pipeline } = state;
  if (verdict.stop || pipeline === undefined) return verdict;
  const left = pipeline.items - (pipeline.withdrawn ?? 0) - endedItems(pipeline);
  const message = `the selected items are done; ${plural(left, 'item')} left out by --only`;
  return { ...verdict, stop: true, class: 'limit', reasons: [{ path: '--only', class: 'limit', message }] };
}

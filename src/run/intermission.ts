import { isWithoutDelay, nextWait } from '../model/wait-policy.js';
import type { NewEvent } from '../model/run-event.js';
import { nextPersonWait, openQuestions } from '../model/questions.js';
import type { RunSpec } from '../model/run-spec.js';
import { loopStateOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { reviewDue } from '../stop/evaluate-policy.js';
import { uptime } from 'node:os';

export interface IntermissionOptions {
  readonly spec: RunSpec;
  readonly state: () => RunState;
  /** Records a boundary; throws when it cannot be. */
  readonly record: (event: NewEvent) => void;
  readonly now: () => number;
  /** Nothing runs: active time stands. */
  readonly stopClock: () => void;
  readonly startClock: () => void;
  readonly onPaused: () => Promise<void>;
}

/** What lies between two iterations: a pause, a wait for the provider or for a person's answer, the delay, an approval. */
export class Intermission {
  readonly #options: IntermissionOptions;
  readonly #rest = new Rest();
  #answer: 'approve' | 'reject' | undefined;
  #hasIterated = false;
  #isLeaving = false;

  constructor(options: IntermissionOptions) {
    this.#options = options;
  }

  /** What is waited for has come, or is not waited for any more: the record tells. */
  wake(): void {
    this.#rest.wake();
  }

  /** What someone says who was asked for approval. */
  answer(answer: 'approve' | 'reject'): void {
    this.#answer = answer;
    this.#rest.wake();
  }

  /** The record has to be judged again. */
  disturb(): void {
    this.#rest.disturb();
  }

  /** The run continues elsewhere: whatever is waited for is waited for there. */
  leave(): void {
    this.#isLeaving = true;
    this.#rest.disturb();
  }

  /** From now on there is a delay. */
  hasIterated(): void {
    this.#hasIterated = true;
  }

  async rest(): Promise<'rested' | 'disturbed' | 'left'> {
    if (this.#isLeaving) return 'left';
    this.#rest.begin();
    const stages = [
      () => this.#pause(),
      () => this.#wait(),
      () => this.#waitForAnswer(),
      () => this.#delay(),
      () => this.#askApproval(),
    ];
    for (const stage of stages) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      if ((await stage()) === 'disturbed') return 'disturbed';
    }
    return this.#isToPause() ? this.rest() : 'rested';
  }

  #isToPause(): boolean {
    return this.#options.state().requests.pause !== undefined;
  }

  /** Until someone ends it. What only has to be judged meanwhile, such as another limit, does not. */
  async #pause(): Promise<RestEnd | undefined> {
    if (!this.#isToPause()) return undefined;
    const { record, state, onPaused } = this.#options;
    const isNew = loopStateOf(state()) !== 'paused';
    if (isNew) record({ type: 'paused', reason: state().requests.pause?.reason });
    const how = await this.#standStill(async () => {
      if (isNew) await onPaused();
      let end: RestEnd = state().blockedByHook === undefined ? 'woken' : 'disturbed';
      // oxlint-disable-next-line no-await-in-loop -- until the record says so
      while (this.#isToPause() && end !== 'disturbed') end = await this.#rest.sleep();
      return end;
    });
    if (how !== 'disturbed') record({ type: 'resumed' });
    return how;
  }

  /** For a limit of the provider's. It costs no iteration and no active time. */
  async #wait(): Promise<RestEnd | undefined> {
    const { state, now, record } = this.#options;
    const nowMs = now();
    const wait = nextWait(state(), nowMs, Math.random);
    if (wait === undefined) return undefined;
    const leftMs = Date.parse(wait.until) - nowMs;
    if (leftMs > 0) record({ type: 'waiting-started', for: wait.for, until: wait.until, reason: wait.reason });
    const how = await this.#standStill(() => this.#rest.outlast(leftMs));
    if (how !== 'disturbed') record({ type: 'waiting-ended' });
    return how;
  }

  /** For a person, until everything that the agent asked is answered. Nothing but an answer or a stop ends it sooner. */
  async #waitForAnswer(): Promise<RestEnd | undefined> {
    const { state, now, record } = this.#options;
    const nowMs = now();
    const wait = nextPersonWait(state(), nowMs);
    if (wait === undefined) return undefined;
    record({ type: 'waiting-started', for: 'person', until: wait.until, reason: wait.reason });
    const endMs = performance.now() + Date.parse(wait.until) - nowMs;
    const how = await this.#standStill(async () => {
      let end: RestEnd = 'woken';
      while (end === 'woken' && openQuestions(state()).length > 0 && !this.#isToPause())
        // oxlint-disable-next-line no-await-in-loop -- until the record says so
        end = await this.#rest.outlast(endMs - performance.now());
      return end;
    });
    if (how === 'disturbed') return how;
    if (openQuestions(state()).length === 0) {
      record({ type: 'waiting-ended', reason: 'answered' });
      return how;
    }
    // A pause keeps the wait as it is. Otherwise no one has answered, and the record is judged.
    if (how === 'woken') return how;
    record({ type: 'waiting-ended', reason: 'no answer' });
    return 'disturbed';
  }

  /** Not before the first iteration of a process, and not after a wait. */
  async #delay(): Promise<RestEnd | undefined> {
    const { spec, state } = this.#options;
    if (!this.#hasIterated || spec.iterationDelayMs === 0 || isWithoutDelay(state())) return undefined;
    if (reviewDue(state()) !== undefined) return undefined;
    return this.#rest.sleep(spec.iterationDelayMs);
  }

  async #askApproval(): Promise<RestEnd | undefined> {
    const { spec, record, state } = this.#options;
    if (reviewDue(state()) !== undefined) return undefined;
    while (spec.attendedMode && !this.#isToPause()) {
      this.#answer = undefined;
      record({ type: 'waiting-started', for: 'approval' });
      // oxlint-disable-next-line no-await-in-loop -- asked again after every rejection
      const how = await this.#standStill(() => this.#rest.sleep());
      if (how === 'disturbed') return how;
      const isApproved = this.#answer === 'approve';
      record({ type: 'waiting-ended', reason: isApproved ? 'approved' : 'rejected' });
      if (isApproved) return how;
    }
    return undefined;
  }

  async #standStill<T>(rest: () => Promise<T>): Promise<T> {
    this.#options.stopClock();
    const how = await rest();
    this.#options.startClock();
    return how;
  }
}

/** How a rest ended: its time was up, someone ended it on purpose, or something else needs the loop. */
export type RestEnd = 'elapsed' | 'woken' | 'disturbed';

/** A timer stands while the machine sleeps: a wait for someone outside looks this often how long it has lasted. */
const SLEEP_CHECK_MS = 30_000;
/** Of the two clocks that are compared, one is coarse. */
const SHORTEST_SLEEP_MS = 1000;
const LONGEST_TIMER_MS = 86_400_000;

/** One thing at a time that the loop waits for between two iterations. */
export class Rest {
  #end: ((how: RestEnd) => void) | undefined;
  #disturbed = false;

  /** Waits for so much time, or without one until it is woken or disturbed. */
  async sleep(durationMs = Number.POSITIVE_INFINITY): Promise<RestEnd> {
    const endMs = performance.now() + durationMs;
    for (;;) {
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return this.#disturbed ? 'disturbed' : 'elapsed';
      // oxlint-disable-next-line no-await-in-loop -- timers have a longest time
      const how = await this.#wait(Math.min(leftMs, LONGEST_TIMER_MS));
      if (how !== 'elapsed') return how;
    }
  }

  /** Waits for so much time, the machine's sleep included. The wall clock may jump meanwhile: it is not inspected. */
  async outlast(durationMs: number, upMs: () => number = () => uptime() * 1000): Promise<RestEnd> {
    const [startMs, startUpMs] = [performance.now(), upMs()];
    for (;;) {
      const awakeMs = performance.now() - startMs;
      const asleepMs = upMs() - startUpMs - awakeMs;
      const leftMs = durationMs - awakeMs - (asleepMs < SHORTEST_SLEEP_MS ? 0 : asleepMs);
      if (leftMs <= 0) return this.#disturbed ? 'disturbed' : 'elapsed';
      // oxlint-disable-next-line no-await-in-loop -- the clocks are inspected again and again
      const how = await this.#wait(Math.min(leftMs, SLEEP_CHECK_MS));
      if (how !== 'elapsed') return how;
    }
  }

  /** What it was waiting for has come. */
  wake(): void {
    this.#end?.('woken');
  }

  /** The loop has to look at the record. Stays so until the next rest begins. */
  disturb(): void {
    this.#disturbed = true;
    this.#end?.('disturbed');
  }

  begin(): void {
    this.#disturbed = false;
  }

  #wait(durationMs: number): Promise<RestEnd> {
    if (this.#disturbed) return Promise.resolve('disturbed');
    return new Promise((resolve) => {
      const timer = setTimeout(() => finish('elapsed'), durationMs);
      const finish = (how: RestEnd): void => {
        clearTimeout(timer);
        this.#end = undefined;
        resolve(how);
      };
      this.#end = finish;
    });
  }
}

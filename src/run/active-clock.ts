import { cpus } from 'node:os';
import { nextThreshold } from '../stop/evaluate-policy.js';
import type { RunState } from '../model/run-state.js';

/** The processors are asked no more often than that: an event is recorded every few milliseconds at times. */
const MARK_MS = 5000;
/** The ticker looks every 15 seconds. Only after a gap like this the machine may have slept. */
const SLEEP_GAP_MS = 60_000;
/** The count of the processors is coarse: less than this part of a gap is not taken for sleep. */
const LEAST_ASLEEP = 0.1;

export interface ClockSource {
  /** Only grows. */
  readonly nowMs: () => number;
  /** How long the processors have been powered, busy or idle. Undefined where that is not needed or not known. */
  readonly processorMs: () => number | undefined;
}

/** On macOS the monotonic clock of Node continues while the machine sleeps; on Linux it stands. */
const MACHINE: ClockSource = {
  nowMs: () => performance.now(),
  processorMs: process.platform === 'darwin' ? processorMs : () => undefined,
};

function processorMs(): number | undefined {
  const all = cpus();
  const total = all.flatMap(({ times }) => Object.values(times)).reduce((sum, ms) => sum + ms, 0);
  return all.length === 0 || total === 0 ? undefined : total / all.length;
}

interface Mark {
  readonly nowMs: number;
  readonly processorMs: number | undefined;
}

/** Active time by the monotonic clock: it stands while the run is paused or waits, and while the machine sleeps. */
export class ActiveClock {
  readonly #source: ClockSource;
  #beforeMs: number;
  #mark: Mark | undefined;

  constructor(recordedMs: number, source: ClockSource = MACHINE) {
    this.#beforeMs = recordedMs;
    this.#source = source;
  }

  get ms(): number {
    if (this.#mark === undefined) return Math.floor(this.#beforeMs);
    const elapsedMs = this.#source.nowMs() - this.#mark.nowMs;
    if (elapsedMs < MARK_MS) return Math.floor(this.#beforeMs + elapsedMs);
    const before = this.#mark;
    this.#mark = this.#look();
    this.#beforeMs += awakeMs(before, this.#mark);
    return Math.floor(this.#beforeMs);
  }

  get isRunning(): boolean {
    return this.#mark !== undefined;
  }

  start(): void {
    this.#mark ??= this.#look();
  }

  stop(): void {
    this.#beforeMs = this.ms;
    this.#mark = undefined;
  }

  #look(): Mark {
    return { nowMs: this.#source.nowMs(), processorMs: this.#source.processorMs() };
  }
}

/** A gap without proof of sleep counts whole: the runner may have been frozen while its agent worked. */
function awakeMs(from: Mark, to: Mark): number {
  const elapsedMs = to.nowMs - from.nowMs;
  if (elapsedMs < SLEEP_GAP_MS || from.processorMs === undefined || to.processorMs === undefined) return elapsedMs;
  const asleepMs = elapsedMs - Math.max(0, to.processorMs - from.processorMs);
  return asleepMs > elapsedMs * LEAST_ASLEEP ? elapsedMs - asleepMs : elapsedMs;
}

/** A timer by the monotonic clock may miss a jump of the wall clock: it is inspected again this often. */
const WALL_CHECK_MS = 30_000;
/** A silent agent makes no events: active time is recorded this often all the same, so that a crash loses no more. */
const HEARTBEAT_MS = 15_000;

interface TickerOptions {
  readonly state: () => RunState;
  readonly clock: ActiveClock;
  readonly now: () => number;
  /** Records that time has passed. */
  readonly tick: () => void;
}

/** Arms one timer for the next moment at which time alone changes a condition. */
export class Ticker {
  readonly #options: TickerOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TickerOptions) {
    this.#options = options;
  }

  arm(): void {
    clearTimeout(this.#timer);
    const waitMs = Math.min(this.#untilNextMs() ?? Number.POSITIVE_INFINITY, this.#untilHeartbeatMs());
    if (waitMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#onTime(), Math.max(1, Math.ceil(waitMs)));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #untilHeartbeatMs(): number {
    const { state, clock } = this.#options;
    return clock.isRunning ? HEARTBEAT_MS - (clock.ms - state().activeMs) : Number.POSITIVE_INFINITY;
  }

  #untilNextMs(): number | undefined {
    const { state, clock, now } = this.#options;
    const recorded = state();
    const { afterActiveMs, at } = nextThreshold(recorded.policy, recorded);
    const active = clock.isRunning ? afterActiveMs : undefined;
    const waits = [
      active === undefined ? undefined : active - (clock.ms - recorded.activeMs),
      at === undefined ? undefined : Math.min(Date.parse(at) - now(), WALL_CHECK_MS),
    ].filter((ms) => ms !== undefined);
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  #onTime(): void {
    const { state, clock, now, tick } = this.#options;
    const recorded = state();
    const { afterActiveMs, at } = nextThreshold(recorded.policy, recorded);
    const activeReached = afterActiveMs !== undefined && clock.ms - recorded.activeMs >= afterActiveMs;
    const timeReached = at !== undefined && now() >= Date.parse(at);
    if (activeReached || timeReached || this.#untilHeartbeatMs() <= 0) tick();
    this.arm();
  }
}

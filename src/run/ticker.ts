import { nextThreshold } from '../stop/next-threshold.js';
import type { RunState } from '../model/run-state.js';
import type { ActiveClock } from './active-clock.js';

/** A timer by the monotonic clock may miss a jump of the wall clock: it is looked at again this often. */
const WALL_CHECK_MS = 30_000;
/** A silent agent makes no events: active time is recorded this often all the same, so that a crash loses no more. */
const HEARTBEAT_MS = 15_000;

export interface TickerOptions {
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

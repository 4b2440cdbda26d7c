import { nextThreshold } from '../stop/next-threshold.js';
import type { RunState } from '../model/run-state.js';
import type { ActiveClock } from './active-clock.js';

/** A timer by the monotonic clock may miss a jump of the wall clock: it is looked at again this often. */
const WALL_CHECK_MS = 30_000;
const LONGEST_TIMER_MS = 86_400_000;

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
    const waitMs = this.#untilNextMs();
    if (waitMs === undefined) return;
    this.#timer = setTimeout(() => this.#onTime(), Math.max(1, Math.ceil(Math.min(waitMs, LONGEST_TIMER_MS))));
  }

  stop(): void {
    clearTimeout(this.#timer);
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
    if (activeReached || timeReached) tick();
    this.arm();
  }
}

/** A clock that stands still until it is told to continue. */
export interface ManualClock {
  /** Wall time in milliseconds. */
  readonly now: () => number;
  advance(durationMs: number): void;
  set(timeMs: number): void;
}

/**
 * @example
 * ```ts
 * const clock = manualClock('2026-01-01T00:00:00Z');
 * clock.advance(5000);
 * new Date(clock.now()).toISOString(); // 2026-01-01T00:00:05.000Z
 * ```
 */
export function manualClock(start: string | number = '2026-01-01T00:00:00Z'): ManualClock {
  let timeMs = new Date(start).getTime();
  return {
    now: () => timeMs,
    advance(durationMs) {
      timeMs += durationMs;
    },
    set(next) {
      timeMs = next;
    },
  };
}

import { describe, expect, it } from 'vitest';
import { ActiveClock } from './active-clock.js';

const HOUR_MS = 3_600_000;

/** A machine whose clock goes on while it sleeps, as that of macOS does, and whose processors then stand still. */
class Machine {
  nowMs = 1000;
  processorMs: number | undefined = 500;

  readonly clock = new ActiveClock(0, { nowMs: () => this.nowMs, processorMs: () => this.processorMs });

  /** The runner looks at the clock every 15 seconds at least, as its ticker does. */
  works(durationMs: number): void {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= 15_000) {
      const stepMs = Math.min(leftMs, 15_000);
      this.passes(stepMs, stepMs);
      void this.clock.ms;
    }
  }

  passes(durationMs: number, processorMs: number): void {
    this.nowMs += durationMs;
    if (this.processorMs !== undefined) this.processorMs += processorMs;
  }
}

describe('active time', () => {
  it('does not grow while the machine sleeps, although its clock does', () => {
    const machine = new Machine();
    machine.clock.start();
    machine.works(60_000);
    machine.passes(8 * HOUR_MS, 2000);
    expect(machine.clock.ms).toBe(62_000);
    machine.works(60_000);
    expect(machine.clock.ms).toBe(122_000);
  });

  it('grows while the runner is frozen and the machine is awake: the agent may still work', () => {
    const machine = new Machine();
    machine.clock.start();
    machine.works(60_000);
    machine.passes(HOUR_MS, HOUR_MS);
    expect(machine.clock.ms).toBe(60_000 + HOUR_MS);
  });

  it('grows where nobody can tell whether the machine slept', () => {
    const machine = new Machine();
    machine.processorMs = undefined;
    machine.clock.start();
    machine.passes(HOUR_MS, 0);
    expect(machine.clock.ms).toBe(HOUR_MS);
  });

  it('is not shortened by a coarse or a slow count of the processors', () => {
    const machine = new Machine();
    machine.clock.start();
    for (let times = 0; times < 100; times++) {
      machine.passes(15_000, 14_000);
      void machine.clock.ms;
    }
    machine.passes(120_000, 118_000);
    expect(machine.clock.ms).toBe(100 * 15_000 + 120_000);
  });

  it('stands while the clock is stopped, and never goes back', () => {
    const machine = new Machine();
    machine.clock.start();
    machine.works(30_000);
    machine.clock.stop();
    machine.passes(HOUR_MS, HOUR_MS);
    expect(machine.clock.ms).toBe(30_000);
    machine.clock.start();
    machine.passes(1000, 1000);
    expect(machine.clock.ms).toBe(31_000);
  });
});

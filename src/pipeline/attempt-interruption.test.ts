import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AttemptInterruption } from './attempt-interruption.js';
import type { AttemptSignals } from './run-attempt.js';

/** An attempt that goes on for as long as the test. */
function signalsOf(interruption: AttemptInterruption, index = 0): Promise<AttemptSignals> {
  return new Promise((resolve) => {
    void interruption.during(index, (signals) => {
      resolve(signals);
      return new Promise(() => undefined);
    });
  });
}

describe('the attempts in progress', () => {
  it('has a moment to end by itself when enough is spent, and an audit all the time it needs', async () => {
    const interruption = new AttemptInterruption();
    const { generate, audit } = await signalsOf(interruption);
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    interruption.endSpending();
    vi.advanceTimersByTime(100);
    expect(generate.aborted).toBe(false);
    vi.runAllTimers();
    expect([generate.aborted, audit.aborted]).toEqual([true, false]);
  });

  it('is ended by an operator at once, also in that moment, and audits as well', async () => {
    const interruption = new AttemptInterruption();
    const { generate, audit } = await signalsOf(interruption);
    interruption.endSpending();
    interruption.endAll('operator');
    expect([generate.reason, audit.reason]).toEqual(['operator', 'operator']);
  });

  it('loses no other audit than the one that has crossed the limit', async () => {
    const interruption = new AttemptInterruption();
    const [first, second] = await Promise.all([signalsOf(interruption, 0), signalsOf(interruption, 1)]);
    interruption.endSpending();
    interruption.endAudit(1);
    await once(second.audit, 'abort');
    expect(first.audit.aborted).toBe(false);
  });
});

/** R1: one loop. Streaming, screens and commands subscribe to its record or act through its effects. */
import type { Verdict } from '../model/verdict.js';

/** Everything that the loop does to the world. Each may throw: then the run itself is broken and ends as an error. */
export interface LoopEffects {
  /** Judges the record and records the verdict. */
  judge(): Verdict;
  /**
   * What lies between two iterations: a pause, a wait, an approval, the delay. `disturbed`: to be judged again. `left`: the
   * run has not ended, and continues elsewhere.
   */
  rest(): Promise<'rested' | 'disturbed' | 'left'>;
  /** One iteration, recorded from its start to its end. */
  iterate(): Promise<void>;
  /** Records the end of the run. */
  end(verdict: Verdict): void | Promise<void>;
}

/** Runs until the policy says stop. R3: resume is this function on a folded record. */
export async function runLoop(effects: LoopEffects): Promise<void> {
  for (;;) {
    const verdict = effects.judge();
    if (verdict.stop) return effects.end(verdict);
    // oxlint-disable-next-line no-await-in-loop -- this is the loop
    const rested = await effects.rest();
    if (rested === 'left') return;
    if (rested === 'disturbed') continue;
    // oxlint-disable-next-line no-await-in-loop -- this is the loop
    await effects.iterate();
  }
}

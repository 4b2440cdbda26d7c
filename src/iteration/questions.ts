import type { StopCondition } from '../model/condition.js';
import type { Measured } from '../model/metric.js';
import type { ProbeResult } from '../model/observation.js';
import type { NewEvent } from '../model/run-event.js';
import type { TestResults } from '../model/test-results.js';
import type { OriginalsAsked } from './plan-room.js';
import type { GuardGap } from './guard-watch.js';

/** What the decision asks of the observers. Pure: it sees the event that would be recorded if they stopped here. */
export interface Questions {
  /** The next probe whose answer can still matter. */
  nextProbe(draft: NewEvent): StopCondition | undefined;
  /** How often the facts of a goal are to be inspected again. */
  confirmations(draft: NewEvent): number;
  /** Which tests the work is to be checked with before it counts as done; undefined when it would not count. */
  originals(draft: NewEvent): OriginalsAsked | undefined;
  /** The tests that work is compared with. */
  startTests(): TestResults | undefined;
  /** Whether tests that fail are to be run again before they count: they may fail by chance. */
  isDoubtful(draft: NewEvent): boolean;
  /** The metric of a condition, if this would be its best result so far: it is measured a second time before it counts. */
  bestOf(condition: StopCondition, answer: ProbeResult): Measured | undefined;
  /** What a condition that is a function is called with. */
  functionContext(draft: NewEvent): unknown;
  /** Set when no one could watch protected files in an earlier iteration, or it changed them: one figure of them, from before it, if it is known. */
  guardGap(): GuardGap | undefined;
}

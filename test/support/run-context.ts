import type { RunContext } from '../../src/iteration/run-context.js';
import { StopSignal } from '../../src/iteration/stop-signal.js';
import { INITIAL_STATE } from '../../src/model/run-state.js';
import { scriptedAgent } from '../../src/testing/index.js';

/** What a run works with, for a part of it that is tested alone: nothing is asked, watched or kept. */
export function runContext(given: Partial<RunContext> & Pick<RunContext, 'spec'>): RunContext {
  return {
    runId: 'loop_1',
    environment: {},
    agent: scriptedAgent([]),
    tree: undefined,
    guard: undefined,
    functions: {},
    redact: (text) => text,
    now: () => Date.now(),
    journal: { state: INITIAL_STATE },
    questions: {
      nextProbe: () => undefined,
      confirmations: () => 0,
      originals: () => undefined,
      startTests: () => undefined,
      isDoubtful: () => false,
      bestOf: () => undefined,
      functionContext: () => undefined,
      guardGap: () => undefined,
    },
    record: () => undefined,
    checkRecord: () => undefined,
    stop: new StopSignal(),
    ...given,
  };
}

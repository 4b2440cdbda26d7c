// The state of a run is the fold of its events, and stopping is a function of that state: same record, same verdict.
import {
  evaluatePolicy,
  INITIAL_STATE,
  maxCost,
  maxIterations,
  type NewEvent,
  reduce,
  statsOf,
  totalSpend,
} from 'pawl';
import { manualClock, memoryJournal } from 'pawl/testing';

const clock = manualClock('2026-03-01T22:00:00Z');
const journal = memoryJournal({ now: clock.now });

const iteration = (number: number, costUsd: number): NewEvent[] => [
  { type: 'iteration-started', iteration: number, try: 1 },
  {
    type: 'usage-reported',
    scope: 'turn',
    model: 'claude-sonnet-4-5',
    spend: { inputTokens: 9000, outputTokens: 800, costUsd },
  },
  {
    type: 'iteration-ended',
    iteration: number,
    outcome: 'completed',
    agentStarted: true,
    durationMs: 60_000,
    observation: {},
  },
];
for (const event of [...iteration(1, 0.25), ...iteration(2, 0.35)]) {
  clock.advance(30_000);
  journal.append(event, journal.state.activeMs + 30_000);
}

let state = INITIAL_STATE;
for await (const event of journal.read()) state = reduce(state, event);

console.log(statsOf(state).iterations, totalSpend(state.spend).costUsd);
const policy = { success: [], failure: [], limits: [maxIterations(5), maxCost(0.5)] };
for (const reason of evaluatePolicy(policy, state).reasons) console.log(reason.message);

// Prints:
// 2 0.6
// $0.60 of $0.50

import type { IterationSummary, RunState } from '../../model/run-state.js';
import { totalSpend } from '../../model/spend-account.js';
import type { Spend } from '../../model/usage.js';

/**
 * A state from which a limit of a pipeline can be forecast: attempts that run side by side end in bunches, so that each is
 * taken to have lasted, and cost, as much as they did on average.
 */
export function withAttemptPace(state: RunState): RunState {
  const { pipeline, iterations, activeMs } = state;
  if (pipeline === undefined || iterations < 2) return state;
  const durationMs = activeMs / iterations;
  const spent = Object.entries(totalSpend(state.spend)).map(([field, value]) => [
    field,
    (value ?? Number.NaN) / iterations,
  ]);
  const spend = Object.fromEntries(spent.filter(([, value]) => Number.isFinite(value))) as Spend;
  const summary = (iteration: number): IterationSummary => ({
    iteration,
    try: 1,
    outcome: 'completed',
    startedAt: '',
    endedAt: '',
    durationMs,
    activeMs: iteration * durationMs,
    spend,
    estimated: false,
  });
  return { ...state, recent: [summary(iterations - 1), summary(iterations)] };
}

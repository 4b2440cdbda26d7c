import { limitOf } from '../model/condition-catalog.js';
import type { PolicyEntry } from '../model/policy.js';
import type { RunState, IterationSummary } from '../model/run-state.js';
import { type Unit, count } from '../model/figures.js';
import { type Forecast, forecast } from '../stop/forecast.js';
import { clockText } from './clock-text.js';
import { itemForecast } from './item-figures.js';
import { totalSpend } from '../model/spend-account.js';
import type { Spend } from '../model/usage.js';

/** When limits are reached. What a pipeline reaches only after its last item, it does not reach: nothing is said before that can be told. */
export function expectedLimits(state: RunState): readonly Forecast[] {
  const all = forecast(state.policy, withAttemptPace(state));
  if (state.pipeline === undefined) return all;
  const leftMs = itemForecast(state)?.leftMs ?? 0;
  return all.filter(({ inMs }) => inMs < leftMs);
}

/** `, reached at about iteration 34, 02:15`, in ever fewer words. */
export function expectedTexts(
  reached: Forecast | undefined,
  entry: PolicyEntry | undefined,
  nowMs: number,
  unit: Unit,
): readonly string[] {
  if (reached === undefined) return [];
  const time = clockText(reached.at, nowMs);
  const short = [`, reached at about ${time}`, `, about ${time}`];
  if (entry !== undefined && limitOf(entry.condition)?.quantity === 'iterations') return short;
  return [`, reached at about ${unit} ${count(reached.iteration)}, ${time}`, ...short];
}

/**
 * A state from which a limit of a pipeline can be forecast: attempts that run side by side end in bunches, so that each is
 * taken to have lasted, and cost, as much as they did on average.
 */
function withAttemptPace(state: RunState): RunState {
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

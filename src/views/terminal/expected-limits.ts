import type { PolicyEntry } from '../../model/policy.js';
import type { RunState } from '../../model/run-state.js';
import type { Unit } from '../../model/unit.js';
import { count } from '../../model/figures.js';
import { type Forecast, forecast } from '../../stop/forecast.js';
import { clockText } from './clock-text.js';
import { itemForecast } from './item-figures.js';
import { withAttemptPace } from './with-attempt-pace.js';

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
  if (entry?.condition.type === 'max_iterations') return short;
  return [`, reached at about ${unit} ${count(reached.iteration)}, ${time}`, ...short];
}

import type { StopCondition } from '../../model/condition.js';
import { formatDuration, parseDuration } from '../../model/duration.js';
import type { RunState } from '../../model/run-state.js';
import { knownCostUsd, totalSpend } from '../../model/spend-account.js';

/** The flag that raises a limit so far that the run can go on for as long again; nothing for what no flag raises. */
export function raisedFlag(condition: StopCondition, state: RunState): string | undefined {
  const spent = totalSpend(state.spend);
  switch (condition.type) {
    case 'max_iterations':
      return `--max-iterations ${raised(condition.count, state.iterations)}`;
    case 'max_cost':
      return `--max-cost ${roundUp(raised(condition.usd, spent.costUsd ?? knownCostUsd(state.spend)))}`;
    case 'max_tokens':
      return `--max-tokens ${roundUp(raised(condition.count, spent.totalTokens))}`;
    case 'max_input_tokens':
      return `--limit 'max_input_tokens: ${roundUp(raised(condition.count, spent.inputTokens))}'`;
    case 'max_output_tokens':
      return `--limit 'max_output_tokens: ${roundUp(raised(condition.count, spent.outputTokens))}'`;
    case 'max_duration': {
      const limitMs = parseDuration(condition.duration);
      if (limitMs === undefined) return undefined;
      const text = formatDuration(roundUpDuration(raised(limitMs, state.activeMs)), { exact: true });
      return `--max-duration ${text.replaceAll(' ', '')}`;
    }
    case 'max_cost_per_day':
      // Set again, it accepts what this run cannot tell; how high it is is the user's own setting.
      return state.spend.unknownIterations > 0 ? `--limit 'max_cost_per_day: ${condition.usd}'` : undefined;
    default:
      return undefined;
  }
}

/** As much again as the limit allowed, counted from what was reached: a limit may have been overshot. */
function raised(limit: number, reached = 0): number {
  return Math.max(limit * 2, reached + limit);
}

/** The next number of two digits: 4, 0.65, 440000. */
function roundUp(value: number): number {
  const digits = Math.floor(Math.log10(value)) - 1;
  const step = 10 ** Math.abs(digits);
  // Sums of cents are not exact: a hair above a round number is that number.
  const rounded = digits < 0 ? Math.ceil(value * step - 1e-6) / step : Math.ceil(value / step - 1e-6) * step;
  return Number.isFinite(rounded) ? rounded : value;
}

const STEPS_MS = [
  { upToMs: 1000, stepMs: 100 },
  { upToMs: 60_000, stepMs: 1000 },
  { upToMs: 600_000, stepMs: 10_000 },
  { upToMs: 7_200_000, stepMs: 60_000 },
  { upToMs: Number.POSITIVE_INFINITY, stepMs: 600_000 },
];

function roundUpDuration(ms: number): number {
  const stepMs = STEPS_MS.find(({ upToMs }) => ms <= upToMs)?.stepMs ?? 1;
  return Math.ceil(ms / stepMs) * stepMs;
}

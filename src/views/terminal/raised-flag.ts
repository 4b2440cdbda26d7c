import type { StopCondition } from '../../model/condition.js';
import { formatDuration, parseDuration } from '../../model/duration.js';
import { dayLimitUsd } from '../../model/policy.js';
import type { RunState } from '../../model/run-state.js';
import { isSilent, knownCostUsd, totalSpend } from '../../model/spend-account.js';

const NO_LIMIT_FLAGS: Partial<Record<StopCondition['type'], string>> = {
  max_cost: '--max-cost 0',
  max_tokens: '--max-tokens 0',
  max_input_tokens: "--limit 'max_input_tokens: 0'",
  max_output_tokens: "--limit 'max_output_tokens: 0'",
};

/** The flag that raises a limit so far that the run can go on for as long again; nothing for what no flag raises. */
export function raisedFlag(condition: StopCondition, state: RunState, nowMs: number): string | undefined {
  // A higher limit would be met again after the next iteration that reports nothing.
  const none = isSilent(state.spend) ? NO_LIMIT_FLAGS[condition.type] : undefined;
  if (none !== undefined) return none;
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
    case 'deadline':
      return `--limit 'deadline: ${laterDeadline(condition.at, state, nowMs)}'`;
    case 'max_cost_per_day':
      // Set again, it accepts what this run cannot tell; how high it is is the user's own setting.
      return state.spend.unknownIterations > 0
        ? `--limit 'max_cost_per_day: ${dayLimitUsd(state.policy) ?? condition.usd}'`
        : undefined;
    default:
      return undefined;
  }
}

const SHORTEST_MS = 600_000;

/** From now on as long as the run had, to the minute: `2026-11-20T14:30Z`. */
function laterDeadline(at: string, { startedAt }: RunState, nowMs: number): string {
  const hadMs = Date.parse(at) - Date.parse(startedAt ?? '');
  const atMs = roundUpTo(60_000, nowMs + Math.max(SHORTEST_MS, hadMs || 0));
  return new Date(atMs).toISOString().replace(/:00\.000Z$/, 'Z');
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
  return roundUpTo(stepMs, ms);
}

function roundUpTo(stepMs: number, ms: number): number {
  return Math.ceil(ms / stepMs) * stepMs;
}

/** What a resume needs from a person: an answer to the agent, or another way after it gave up. */
export function steerFlag({ ended, question }: RunState): readonly string[] {
  const isBlocked = ended?.reasons.some(({ condition }) => condition?.type === 'agent_reports_blocked') === true;
  if (isBlocked || question !== undefined) return ["--steer 'your answer'"];
  return ended?.class === 'failure' ? ["--steer 'what to do differently'"] : [];
}

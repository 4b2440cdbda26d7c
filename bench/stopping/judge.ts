import type { Expectation } from './expected/expectation.js';
import { type LedgerEntry, spentUsd } from './ledger.js';
import type { Played } from './play.js';
import type { Ending, Scenario } from './scenarios/scenario.js';
import type { StopRunner } from './stop-runner.js';

/** An agent that was told to end may have had one request under way. */
const REQUESTS_UNDER_WAY = 1;
/** A limit of time may be that late. */
const LATE_MS = 1000;

export type Place = 'right' | 'early' | 'late' | 'never';

/** What one runner made of one scenario. */
export interface Outcome {
  readonly scenario: string;
  readonly runner: string;
  readonly place: Place;
  readonly ending: Ending | 'cut off' | 'unclear';
  /** The place and the ending are those that a person wants. */
  readonly isRight: boolean;
  readonly isPredicted: boolean;
  readonly calls: number;
  readonly spentUsd: number;
  /** What was spent after the point at which a person would have stopped it. */
  readonly overshootUsd: number;
  readonly overshootCalls: number;
  readonly killMs?: number | undefined;
  readonly left: number;
  readonly durationMs: number;
  /** Why it stopped, in its own words. */
  readonly says?: string | undefined;
}

export function judge(scenario: Scenario, expected: Expectation, runner: StopRunner, played: Played): Outcome {
  const after = afterTheStop(scenario, expected, played);
  const calls = Math.max(0, ...played.ledger.map(({ call }) => call));
  const place = placeOf(scenario, expected, played, calls, after);
  const ending = endingOf(runner, played);
  const isRight = place === 'right' && ending === expected.ends;
  return {
    scenario: scenario.name,
    runner: runner.name,
    place,
    ending,
    isRight,
    isPredicted: isRight === expected.right.includes(runner.kind),
    calls,
    spentUsd: cents(spentUsd(played.ledger)),
    overshootUsd: cents(spentUsd(after)),
    overshootCalls: Math.max(0, calls - expected.calls[1]),
    killMs: played.killMs,
    left: played.left,
    durationMs: played.durationMs,
    says: typeof played.end === 'string' ? undefined : lastWords(played.end.output),
  };
}

function endingOf(runner: StopRunner, { end }: Played): Outcome['ending'] {
  return typeof end === 'string' ? end : (runner.ending(end) ?? 'unclear');
}

function placeOf(
  scenario: Scenario,
  expected: Expectation,
  played: Played,
  calls: number,
  after: readonly LedgerEntry[],
): Place {
  const [from, to] = expected.calls;
  if (played.end === 'cut off') return 'never';
  if (calls < from) return 'early';
  if (calls > to) return 'late';
  if (expected.isWithin !== true) return 'right';
  const requests = after.filter(({ what }) => what === 'request');
  if (scenario.triggerAfterMs !== undefined)
    return isLate(scenario.triggerAfterMs, played, requests) ? 'late' : 'right';
  // The one call in which it should have stopped ended before the point was reached.
  if (!played.ledger.some(({ what }) => what === 'mark')) return 'early';
  return requests.length > REQUESTS_UNDER_WAY ? 'late' : 'right';
}

function isLate(triggerAfterMs: number, { startedAt }: Played, requests: readonly LedgerEntry[]): boolean {
  return requests.some(({ at }) => at > startedAt + triggerAfterMs + LATE_MS);
}

/** The entries after the point at which a person would have stopped it. */
function afterTheStop(
  { triggerAfterMs }: Scenario,
  { calls: [, to], isWithin }: Expectation,
  { ledger, startedAt }: Played,
) {
  const markIndex = ledger.findIndex(({ what }) => what === 'mark');
  return ledger.filter((entry, index) => {
    if (entry.call > to) return true;
    if (isWithin !== true || entry.call < to) return false;
    return triggerAfterMs === undefined ? markIndex >= 0 && index > markIndex : entry.at > startedAt + triggerAfterMs;
  });
}

function cents(usd: number): number {
  return Math.round(usd * 100) / 100;
}

/** The first line of Pawl's end report, a config that it refuses, or the words of other runners. */
const LAST_WORDS = [
  /^(?:Done|Rejected|Gave up|Needs you|Stopped by you|Failed)(?: after \d+ iterations?)?: /,
  /^[\w ]+ limit reached(?: after \d+ iterations?)?: /,
  /^pawl\.yaml:\d+:\d+ /,
  /^(?:stopped|completed|blocked|error)\b/,
];

function lastWords(output: string): string | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.findLast((line) => LAST_WORDS.some((pattern) => pattern.test(line)))?.slice(0, 160);
}

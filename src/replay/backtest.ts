import type { ConditionType } from '../model/condition.js';
import type { RunEvent } from '../model/run-event.js';
import { type Candidate, Lane } from './lane.js';
import { type GuardLook, LookedFor } from './looked-for.js';
import { type Replay, replayOf } from './replay.js';
import { Replaying } from './replaying.js';

/** A run to try policies on. */
export interface RecordedRun {
  readonly name: string;
  readonly events: Iterable<RunEvent>;
}

/** A policy to try, or a change of the policy that each run had. */
export interface NamedCandidate {
  readonly name: string;
  readonly policy: Candidate;
  /** The conditions that it is there to try: where they could not be judged at all, it says nothing of a run. */
  readonly tries?: readonly ConditionType[] | undefined;
}

/** One policy on all runs. */
export interface BacktestRow {
  readonly name: string;
  readonly runs: number;
  /** Runs that would have stopped before the end of their record. */
  readonly stoppedEarlier: number;
  readonly iterationsSaved: number;
  /** The sum over the runs whose cost is known. */
  readonly costSavedUsd: number;
  /** Runs stopped earlier whose cost is not known. */
  readonly costUnknown: number;
  readonly activeMsSaved: number;
  /** Goals that runs reached after they would have been stopped. */
  readonly goalsMissed: number;
  /** Runs that have ended and would have continued: what then is not known. */
  readonly goOn: number;
  /** Of those that stop earlier: by a budget that no one could have kept, because the spend is not known. */
  readonly blocked: number;
  /** Runs in which what is tried was never known: nothing is saved or missed there that anybody could tell. */
  readonly unjudged: number;
  /** No other policy saves more without missing more goals. */
  readonly isBest: boolean;
}

export interface Backtest {
  /** What counts as saved in the choice of the best: iterations where no cost is known. */
  readonly comparedBy: 'cost' | 'iterations';
  readonly rows: readonly BacktestRow[];
  /** By policy, then by run, in the order given. */
  readonly runs: readonly { readonly name: string; readonly replays: readonly RunReplay[] }[];
}

export type RunReplay = Omit<Replay, 'verdicts'> & { readonly name: string };

/**
 * Tries policies on recorded runs: what each would have saved, and which goals it would have missed. Each record is read
 * once for all policies. Pure.
 *
 * @example
 * ```ts
 * import { maxCost, type LoopEvent } from 'pawl';
 * import { backtest } from 'pawl/replay';
 *
 * declare const runs: { name: string; events: LoopEvent[] }[];
 * const { rows } = backtest(runs, [5, 10].map((usd) => ({
 *   name: `$${usd}`,
 *   policy: (recorded) => ({ ...recorded, limits: [...recorded.limits, maxCost(usd)] }),
 * })));
 * for (const { name, costSavedUsd, goalsMissed } of rows) console.log(name, costSavedUsd, goalsMissed);
 * ```
 */
export function backtest(
  runs: Iterable<RecordedRun>,
  candidates: readonly NamedCandidate[],
  options: { readonly guard?: GuardLook | undefined } = {},
): Backtest {
  const found: (readonly RunReplay[])[] = [];
  for (const { name, events } of runs) {
    const reading = createBacktestRun(name, candidates, options.guard);
    for (const event of events) reading.see(event);
    found.push(reading.end());
  }
  return summariseBacktest(candidates, found);
}

/** One run under all policies, told of one event after the other. */
export function createBacktestRun(
  name: string,
  candidates: readonly NamedCandidate[],
  guard?: GuardLook,
): { see(event: RunEvent): void; end(): readonly RunReplay[] } {
  const lanes = candidates.map(({ policy }) => new Lane(policy));
  const replaying = new Replaying({ lanes, lookedFor: new LookedFor(guard) });
  return {
    see: (event) => replaying.see(event),
    end: () => {
      replaying.end();
      return lanes.map((lane) => ({ name, ...replayOf(lane, replaying) }));
    },
  };
}

/** For each run, what each policy made of it, in the order of the policies. */
export function summariseBacktest(
  candidates: readonly NamedCandidate[],
  byRun: readonly (readonly RunReplay[])[],
): Backtest {
  const runs = candidates.map(({ name }, index) => ({
    name,
    replays: byRun.flatMap((replays) => replays[index] ?? []),
  }));
  const rows = runs.map(({ name, replays }, index) => rowOf(name, replays, candidates[index]?.tries ?? []));
  const isCostKnown = rows.every(({ stoppedEarlier }) => stoppedEarlier === 0) || rows.some(hasKnownCost);
  const comparedBy = isCostKnown ? 'cost' : 'iterations';
  const judged = rows.filter((row) => row.unjudged === 0 || row.unjudged < row.runs);
  const gains = judged.map((row) => {
    // Sums of the same figures in another order are the same.
    const gain = isCostKnown ? Math.round(row.costSavedUsd * 1e6) : row.iterationsSaved;
    return { row, gain, loss: row.goalsMissed };
  });
  const best = new Set([...paretoBest(gains)].map(({ row }) => row));
  return { comparedBy, rows: rows.map((row) => ({ ...row, isBest: best.has(row) })), runs };
}

/** Of some run that would have been stopped. */
export function hasKnownCost({ stoppedEarlier, costUnknown }: Pick<BacktestRow, 'stoppedEarlier' | 'costUnknown'>) {
  return costUnknown < stoppedEarlier;
}

/** Stopped before the run itself was. */
export function isStoppedEarlier({ stop, saved }: Pick<Replay, 'stop' | 'saved'>): boolean {
  if (stop === undefined || saved === undefined) return false;
  return saved.iterations > 0 || stop.within !== undefined;
}

/** By a budget, and not for having reached it. */
export function isBlockedByBudget({ stop }: Pick<Replay, 'stop'>): boolean {
  return stop?.class === 'blocked' && stop.reasons[0]?.condition !== undefined;
}

function rowOf(
  name: string,
  replays: readonly RunReplay[],
  tries: readonly ConditionType[],
): Omit<BacktestRow, 'isBest'> {
  const earlier = replays.filter(isStoppedEarlier);
  const sum = (of: (replay: RunReplay) => number | undefined) =>
    earlier.reduce((total, replay) => total + (of(replay) ?? 0), 0);
  return {
    name,
    runs: replays.length,
    stoppedEarlier: earlier.length,
    iterationsSaved: sum(({ saved }) => saved?.iterations),
    costSavedUsd: sum(({ saved }) => saved?.costUsd),
    costUnknown: earlier.filter(({ saved }) => saved?.costUsd === undefined).length,
    activeMsSaved: sum(({ saved }) => saved?.activeMs),
    goalsMissed: earlier.filter(({ saved }) => saved?.losesGoal === true).length,
    goOn: replays.filter(({ stop, end }) => stop === undefined && end.class !== undefined).length,
    blocked: earlier.filter(isBlockedByBudget).length,
    unjudged: replays.filter((replay) => !isStoppedEarlier(replay) && isUnjudged(replay, tries)).length,
  };
}

function isUnjudged({ missing }: RunReplay, tries: readonly ConditionType[]): boolean {
  return missing.some(({ type, unknown, of }) => unknown === of && tries.includes(type));
}

/** What a choice brings, and what it takes. */
interface Gain {
  readonly gain: number;
  readonly loss: number;
}

/** Those than which no other brings more without taking more, in their order. Equal ones are all among them. */
export function paretoBest<T extends Gain>(choices: readonly T[]): ReadonlySet<T> {
  const isBeaten = (one: T) =>
    choices.some(
      (other) => other.gain >= one.gain && other.loss <= one.loss && (other.gain > one.gain || other.loss < one.loss),
    );
  return new Set(choices.filter((one) => !isBeaten(one)));
}

import { doneClaimOf } from './claim.js';
import { LABEL_PATH, outcomeNow } from './outcome.js';
import { endOf, hasEnded } from './phase.js';
import type { RunState } from './run-state.js';
import { knownCostUsd, spendByModel, totalSpend } from './spend-account.js';

/** What a run adds to the history: little enough to be kept of every run. */
export interface HistoryRun {
  /** Where it took place; a day is that on which it began, in UTC. */
  readonly project: string;
  readonly day?: string | undefined;
  /** As far as it is known. */
  readonly costUsd: number;
  readonly isCostWhole: boolean;
  readonly models: Readonly<Record<string, number>>;
  /** Undefined where it has not ended, or no one said whether it reached its goal. */
  readonly isGoal?: boolean | undefined;
  /** The agent left its work as done. */
  readonly isDone: boolean;
  /** What ended it. */
  readonly ending: string;
}

/** What some of the runs have used and come to. */
export interface HistoryShare {
  readonly name: string;
  readonly runs: number;
  readonly goals: number;
  readonly usd: number;
  /** Of how many of these runs the cost is not known, or not all of it. */
  readonly unknownRuns: number;
}

export interface History {
  /** The dearest first. */
  readonly byModel: readonly HistoryShare[];
  readonly byProject: readonly HistoryShare[];
  /** In their order. */
  readonly byDay: readonly HistoryShare[];
  /** Runs with a known result that the agent left as done, and those of them that had not reached their goal. */
  readonly done: { readonly said: number; readonly wrong: number };
  /** Where the money went that reached no goal. */
  readonly withoutGoal: readonly HistoryShare[];
}

/**
 * Whether the agent left its work as done: it said so, handed it in, or, in a session of another tool, ended its turn by itself
 * and asked for nothing. In a loop every call ends a turn, which says nothing.
 */
export function endedAsDone({ kind, latest }: RunState): boolean {
  if (doneClaimOf(latest) !== undefined) return true;
  const { request } = latest.observation;
  const asks = request !== undefined && request.kind !== 'none';
  return kind === 'imported' && latest.finished === true && latest.stoppedItself === undefined && !asks;
}

export function historyRun(state: RunState, project: string): HistoryRun {
  const { spend, startedAt, agent, spec } = state;
  const isDone = endedAsDone(state);
  const named = Object.entries(spendByModel(spend)).map(([model, { costUsd = 0 }]): [string, number] => [
    model || (agent?.model ?? spec?.agent.name ?? 'unknown'),
    costUsd,
  ]);
  return {
    project,
    day: startedAt?.slice(0, 10),
    costUsd: knownCostUsd(spend),
    isCostWhole: totalSpend(spend).costUsd !== undefined,
    models: Object.fromEntries(named.length > 0 ? named : [[agent?.model ?? 'unknown', 0]]),
    isGoal: goalOf(state),
    isDone,
    ending: endingOf(state, isDone),
  };
}

function goalOf(state: RunState): boolean | undefined {
  const end = endOf(state);
  if (!hasEnded(state)) return undefined;
  return end?.class === undefined && state.kind === 'imported' ? undefined : end?.class === 'goal';
}

function endingOf(state: RunState, isDone: boolean): string {
  const isLabelled = endOf(state)?.reasons[0]?.path === LABEL_PATH;
  if (!isLabelled) return outcomeNow(state, false).word;
  return isDone ? 'left as done, and was not' : 'not left as done';
}

export function historyOf(runs: readonly HistoryRun[]): History {
  const said = runs.filter(({ isDone, isGoal }) => isDone && isGoal !== undefined);
  return {
    byModel: dearestFirst(
      sharesOf(
        runs.flatMap((run) =>
          Object.entries(run.models).map(([name, usd]) => ({ name, run: { ...run, costUsd: usd } })),
        ),
      ),
    ),
    byProject: dearestFirst(sharesOf(runs.map((run) => ({ name: run.project, run })))),
    byDay: sharesOf(runs.flatMap((run) => (run.day === undefined ? [] : [{ name: run.day, run }]))).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    ),
    done: { said: said.length, wrong: said.filter(({ isGoal }) => isGoal === false).length },
    withoutGoal: dearestFirst(
      sharesOf(runs.filter(({ isGoal }) => isGoal === false).map((run) => ({ name: run.ending, run }))),
    ),
  };
}

function sharesOf(named: readonly { readonly name: string; readonly run: HistoryRun }[]): readonly HistoryShare[] {
  const shares = new Map<string, HistoryShare>();
  for (const { name, run } of named) {
    const before = shares.get(name) ?? { name, runs: 0, goals: 0, usd: 0, unknownRuns: 0 };
    shares.set(name, {
      name,
      runs: before.runs + 1,
      goals: before.goals + (run.isGoal === true ? 1 : 0),
      usd: before.usd + run.costUsd,
      unknownRuns: before.unknownRuns + (run.isCostWhole ? 0 : 1),
    });
  }
  return [...shares.values()];
}

function dearestFirst(shares: readonly HistoryShare[]): readonly HistoryShare[] {
  return shares.toSorted((a, b) => b.usd - a.usd || b.runs - a.runs || (a.name < b.name ? -1 : 1));
}

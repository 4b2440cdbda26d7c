import type { RunEvent } from '../../src/model/run-event.js';
import { type Backtest, backtest, type RunReplay } from '../../src/replay/backtest.js';
import { isStoppedEarlier } from '../../src/replay/backtest.js';
import { parseSweep, sweepCandidates } from '../../src/replay/sweep.js';
import { usd } from '../../src/model/figures.js';
import type { Label } from './labels.js';

/** How a value of a condition compares with what a person would have done. */
export interface Comparison {
  readonly value: string;
  readonly isBest: boolean;
  readonly costSavedUsd: number;
  readonly goalsMissed: number;
  /** Runs that a person lets go on, and the condition stops. */
  readonly tooEarly: readonly string[];
  /** Runs that a person stops, and the condition does not. */
  readonly never: readonly string[];
  /** Of those that both stop: before the person, at the same iteration, after. */
  readonly before: number;
  readonly same: number;
  readonly after: number;
}

export interface Corpus {
  readonly runs: readonly { readonly name: string; readonly events: readonly RunEvent[] }[];
  readonly labels: Readonly<Record<string, Label>>;
}

export function compareSweep(sweep: string, { runs, labels }: Corpus): readonly Comparison[] {
  const tried = backtest(runs, sweepCandidates([parseSweep(sweep)]));
  return tried.runs.map(({ name: value, replays }, index) => comparisonOf(value, replays, tried.rows[index], labels));
}

function comparisonOf(
  value: string,
  replays: readonly RunReplay[],
  row: Backtest['rows'][number] | undefined,
  labels: Corpus['labels'],
): Comparison {
  const judged = replays.map((replay) => ({
    name: replay.name,
    person: labels[replay.name]?.stopAfter ?? undefined,
    condition: isStoppedEarlier(replay) ? (replay.stop?.within ?? replay.stop?.iteration) : undefined,
  }));
  const both = judged.flatMap(({ person, condition }) =>
    person === undefined || condition === undefined ? [] : [condition - person],
  );
  return {
    value,
    isBest: row?.isBest === true,
    costSavedUsd: row?.costSavedUsd ?? 0,
    goalsMissed: row?.goalsMissed ?? 0,
    tooEarly: judged.flatMap(({ name, person, condition }) =>
      person === undefined && condition !== undefined ? name : [],
    ),
    never: judged.flatMap(({ name, person, condition }) =>
      person !== undefined && condition === undefined ? name : [],
    ),
    before: both.filter((late) => late < 0).length,
    same: both.filter((late) => late === 0).length,
    after: both.filter((late) => late > 0).length,
  };
}

/** As it stands in the guide. */
export function comparisonTable(sweep: string, rows: readonly Comparison[]): string {
  const name = sweep.split(':')[0] ?? sweep;
  const lines = rows.map((row) => {
    const figures = [row.tooEarly.length, row.never.length, row.before, row.same, row.after].join(' | ');
    return `| ${row.value}${row.isBest ? ' *' : ''} | ${usd(row.costSavedUsd)} | ${row.goalsMissed} | ${figures} |`;
  });
  return [
    `| \`${name}\` | saved | goals missed | stops what a person lets run | lets run what a person stops | sooner than a person | the same iteration | later |`,
    '|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

/** The misses of one value by name. */
export function missesText({ value, tooEarly, never }: Comparison): string {
  const list = (names: readonly string[]) =>
    names.length === 0 ? 'none' : names.map((name) => `\`${name}\``).join(', ');
  return `At ${value} it stops ${list(tooEarly)}, which a person lets run; it lets run ${list(never)}, which a person stops.`;
}

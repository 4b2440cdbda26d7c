import { formatDuration } from '../../model/duration.js';
import { isStoppedEarlier } from '../../replay/backtest.js';
import type { MissingFact, ReplayedStop } from '../../replay/lane.js';
import type { RecordedEnd, Replay, Saved } from '../../replay/replay.js';
import { plural, usd } from '../../stop/figures.js';
import { type Terminal, wrap } from '../cli/terminal.js';
import { type LabelledRow, labelledRows } from './labelled-rows.js';
import { printable } from './printable.js';
import { textTable } from './text-table.js';

interface NamedReplay extends Replay {
  readonly name: string;
}

/** What a policy would have made of recorded runs; without another policy, whether their verdicts are what they were. */
export function replayLines(replays: readonly NamedReplay[], isOther: boolean, terminal: Terminal): readonly string[] {
  if (!isOther) return replays.flatMap((replay) => ownLines(replay, terminal));
  const [only] = replays;
  const lines = only !== undefined && replays.length === 1 ? oneRun(only, terminal) : manyRuns(replays, terminal);
  return [...lines, ...missingLines(replays, terminal)];
}

function ownLines({ name, verdicts, end }: NamedReplay, terminal: Terminal): readonly string[] {
  const different = verdicts.filter(({ decidesSame }) => !decidesSame);
  const reworded = verdicts.filter(({ isSame }) => !isSame).length;
  const where = different.slice(0, 5).map(({ iteration }) => String(iteration));
  const same = reworded === 0 ? 'all as recorded' : `all as recorded, ${reworded} in other words`;
  const text =
    different.length === 0
      ? `${name}: ${plural(verdicts.length, 'verdict')}, ${same}; ${endText(end)}`
      : `${name}: ${different.length} of ${plural(verdicts.length, 'verdict')} differ from the record, after iteration ${where.join(', ')}`;
  const colour = different.length === 0 ? 'reset' : 'red';
  return wrap(printable(text), terminal.columns - 2).map((line, index) =>
    terminal.style(colour, index === 0 ? line : `  ${line}`),
  );
}

function oneRun(replay: NamedReplay, terminal: Terminal): readonly string[] {
  const { name, stop, saved, end, kind } = replay;
  const rows: LabelledRow[] = [
    ['recorded', endText(end)],
    ['would stop', stop === undefined ? 'not within the record: it would have gone on' : stopText(stop, kind)],
    ['because', ...(stop?.reasons ?? []).map(({ message, class: stopClass }) => `${message} (${stopClass})`)],
    ['saves', saved === undefined ? undefined : savedText(saved)],
    ['tests', stop === undefined ? undefined : testsText(stop, end)],
    ['loses', saved?.losesGoal === true ? 'the goal, which it reached later' : undefined],
  ];
  return [terminal.style('bold', `run ${name}`), ...labelledRows(rows, terminal)];
}

function manyRuns(replays: readonly NamedReplay[], terminal: Terminal): readonly string[] {
  const columns = [
    { title: 'run', most: 22 },
    { title: 'recorded' },
    { title: 'would stop' },
    { title: 'saves', isNumber: true },
    { title: 'cost', isNumber: true },
    { title: 'tests' },
  ];
  return [
    ...textTable(columns, replays.map(rowOf), terminal),
    '',
    ...wrap(`${sumText(replays)} (saves: iterations; tests: passed there → at the end.)`, terminal.columns),
  ];
}

function rowOf({ name, stop, saved, end }: NamedReplay): readonly string[] {
  const isEarlier = isStoppedEarlier({ stop, saved });
  const would =
    stop === undefined ? 'goes on' : isEarlier ? shortStop(stop) : stop.asRecorded ? 'the same' : shortStop(stop);
  return [
    name,
    `${end.class ?? end.status} at ${end.figures.iterations}`,
    would,
    saved !== undefined && isEarlier ? `${saved.iterations}` : '',
    saved !== undefined && isEarlier ? (saved.costUsd === undefined ? 'unknown' : usd(saved.costUsd)) : '',
    saved?.losesGoal === true ? 'goal lost' : isEarlier && stop !== undefined ? (shortTests(stop, end) ?? '') : '',
  ];
}

function sumText(replays: readonly NamedReplay[]): string {
  const earlier = replays.filter(isStoppedEarlier);
  const lost = replays.filter(({ saved }) => saved?.losesGoal === true);
  const sum = (of: (saved: Saved) => number | undefined) =>
    earlier.reduce((total, { saved }) => total + ((saved && of(saved)) ?? 0), 0);
  const unknown = earlier.filter(({ saved }) => saved?.costUsd === undefined).length;
  const cost = `${usd(sum(({ costUsd }) => costUsd))}${unknown === 0 ? '' : ` and what ${plural(unknown, 'run')} cost that nobody knows`}`;
  const saves = `${plural(
    sum(({ iterations }) => iterations),
    'iteration',
  )}, ${cost}, ${formatDuration(sum(({ activeMs }) => activeMs))} of active time`;
  const goals = lost.length === 0 ? 'no goal is missed' : `${plural(lost.length, 'goal')} missed`;
  return `${earlier.length} of ${plural(replays.length, 'run')} would have stopped earlier: ${saves} saved; ${goals}.`;
}

/** What a policy asks for and a record does not hold, each once. */
function missingLines(replays: readonly NamedReplay[], terminal: Terminal): readonly string[] {
  const found = new Map<string, { readonly fact: MissingFact; runs: number }>();
  for (const fact of replays.flatMap(({ missing }) => missing)) {
    const known = found.get(`${fact.path} ${fact.what}`);
    if (known === undefined) found.set(`${fact.path} ${fact.what}`, { fact, runs: 1 });
    else known.runs += 1;
  }
  if (found.size === 0) return [];
  const rows = [...found.values()].map(({ fact, runs }): LabelledRow => {
    const where = replays.length > 1 ? `in ${plural(runs, 'run')}` : `${fact.unknown} of ${fact.of} times`;
    return [fact.path, `${fact.what} (${where})`];
  });
  return ['', 'Not recorded, and so unknown, which is neither met nor not met:', ...labelledRows(rows, terminal)];
}

function endText({ status, class: stopClass, figures }: RecordedEnd): string {
  const how = stopClass === undefined ? status : `${status} (${stopClass})`;
  return `${how} after ${doneText(figures)}`;
}

function doneText({ iterations, itemsEnded }: RecordedEnd['figures']): string {
  if (itemsEnded === undefined) return plural(iterations, 'iteration');
  return `${plural(iterations, 'attempt')}, ${plural(itemsEnded, 'item')} ended`;
}

function stopText({ class: stopClass, within, figures, asRecorded }: ReplayedStop, kind: Replay['kind']): string {
  const noun = kind === 'pipeline' ? 'attempt' : 'iteration';
  const where = within === undefined ? `after ${doneText(figures)}` : `in the middle of ${noun} ${within}`;
  return `${where} (${stopClass})${asRecorded ? ', as it did' : ''}`;
}

function shortStop({ class: stopClass, within, iteration }: ReplayedStop): string {
  return within === undefined ? `${stopClass} at ${iteration}` : `${stopClass} in ${within}`;
}

function savedText({ iterations, costUsd, activeMs }: Saved): string {
  if (iterations === 0 && (costUsd ?? 0) === 0 && activeMs === 0) return 'nothing';
  const cost = costUsd === undefined ? 'an unknown cost' : usd(costUsd);
  return `${plural(iterations, 'iteration')}, ${cost}, ${formatDuration(activeMs)} of active time`;
}

function testsText({ figures }: ReplayedStop, { figures: last }: RecordedEnd): string | undefined {
  if (figures.testsPassed === undefined || last.testsPassed === undefined) return undefined;
  return `${figures.testsPassed} passed there, ${last.testsPassed} at the end`;
}

function shortTests({ figures }: ReplayedStop, { figures: last }: RecordedEnd): string | undefined {
  if (figures.testsPassed === undefined || last.testsPassed === undefined) return undefined;
  return `${figures.testsPassed} → ${last.testsPassed}`;
}

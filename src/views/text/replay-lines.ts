import { formatDuration } from '../../model/duration.js';
import { outcomeOf, wordOf } from '../../model/outcome.js';
import { isBlockedByBudget, isStoppedEarlier } from '../../replay/backtest.js';
import type { MissingFact, ReplayedStop } from '../../replay/lane.js';
import type { RecordedEnd, Replay, Saved } from '../../replay/replay.js';
import { plural, usd } from '../../model/figures.js';
import { type Terminal, wrap } from './terminal.js';
import { type LabelledRow, labelledRows } from './labelled-rows.js';
import { printable } from '../../words/printable.js';
import { textTable } from './text-table.js';

/** The end of a record, its status as it is called everywhere. */
export type ShownEnd = Omit<RecordedEnd, 'status'> & { readonly status: string };

interface NamedReplay extends Omit<Replay, 'end'> {
  readonly name: string;
  readonly end: ShownEnd;
}

const NARROW = 72;

/** What a policy would have made of recorded runs; without another policy, whether their verdicts are what they were. */
export function replayLines(replays: readonly NamedReplay[], isOther: boolean, terminal: Terminal): readonly string[] {
  if (!isOther) return replays.flatMap((replay) => ownLines(replay, terminal));
  const [only] = replays;
  const lines = only !== undefined && replays.length === 1 ? oneRun(only, terminal) : manyRuns(replays, terminal);
  return [...lines, ...missingLines(replays, terminal)];
}

function ownLines({ name, verdicts, end }: NamedReplay, terminal: Terminal): readonly string[] {
  const different = verdicts.filter(({ decidesSame }) => !decidesSame);
  const where = different.slice(0, 5).map(({ iteration }) => String(iteration));
  const text =
    different.length === 0
      ? `${name}: ${plural(verdicts.length, 'verdict')} as recorded; ${end.class ?? end.status} after ${doneText(end.figures)}`
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
    ['would stop', stop === undefined ? openText(replay) : stopText(stop, kind)],
    [
      'because',
      ...(stop?.reasons ?? []).map((reason) => `${reason.message} (${wordOf(reason.class, reason.condition)})`),
    ],
    ['saves', saved === undefined ? undefined : savedText(saved, stop?.within !== undefined)],
    ['tests', stop === undefined ? undefined : testsText(stop, end)],
    ['loses', saved?.losesGoal === true ? 'the goal, which it reached later' : undefined],
  ];
  return [terminal.style('bold', `run ${name}`), ...labelledRows(rows, terminal)];
}

/** A goal of which not enough is known may have been met. */
function openGoal({ stop, missing }: NamedReplay): MissingFact | undefined {
  if (stop !== undefined) return undefined;
  const goals = missing.filter(({ class: stopClass }) => stopClass === 'goal');
  return goals.find(({ heldSoFar, unknown, of }) => heldSoFar || unknown === of);
}

function openText(replay: NamedReplay): string {
  const open = openGoal(replay);
  return open === undefined ? 'not within the record: it would have continued' : `unknown: ${open.what}`;
}

function manyRuns(replays: readonly NamedReplay[], terminal: Terminal): readonly string[] {
  const isNarrow = terminal.columns < NARROW;
  const columns = [
    { title: 'run', most: isNarrow ? 12 : 22 },
    { title: 'recorded' },
    { title: 'would stop' },
    ...(isNarrow ? [] : [{ title: 'saves', isNumber: true }]),
    { title: 'cost', isNumber: true },
    { title: 'tests' },
  ];
  const shown = replays.map((replay) => (isNarrow ? narrowRow(rowOf(replay)) : rowOf(replay)));
  const blocked = replays.filter((replay) => isStoppedEarlier(replay) && isBlockedByBudget(replay)).length;
  const notes = [
    `${sumText(replays)} (${isNarrow ? '' : 'saves: iterations; '}tests: passed there → at the end.)`,
    ...(blocked === 0 ? [] : [`${blocked} of them because their spend is unknown: a budget then blocks.`]),
  ];
  return [...textTable(columns, shown, terminal), '', ...notes.flatMap((note) => wrap(note, terminal.columns))];
}

/** How many iterations are saved can be told from the two figures before. */
function narrowRow(cells: readonly string[]): readonly string[] {
  return cells.filter((_, index) => index !== 3).map((cell) => cell.replace(' at ', ' '));
}

function rowOf(replay: NamedReplay): readonly string[] {
  const { name, stop, saved, end } = replay;
  const isEarlier = isStoppedEarlier({ stop, saved });
  const would =
    stop === undefined
      ? openGoal(replay) === undefined
        ? 'continues'
        : 'unknown'
      : isEarlier
        ? shortStop(stop)
        : stop.asRecorded
          ? 'the same'
          : shortStop(stop);
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
  const least = earlier.some(({ stop }) => stop?.within !== undefined) ? 'at least ' : '';
  const known = `${least}${usd(sum(({ costUsd }) => costUsd))}`;
  const others = unknown === 0 ? '' : ` plus the unknown cost of ${plural(unknown, 'run')}`;
  const cost = unknown > 0 && unknown === earlier.length ? 'an unknown cost' : `${known}${others}`;
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
  const title = 'Not recorded, and so unknown, which is neither met nor not met:';
  return ['', ...wrap(title, terminal.columns), ...labelledRows(rows, terminal)];
}

function endText({ status, class: stopClass, figures }: ShownEnd): string {
  return `${outcomeOf({ status, ended: { class: stopClass } }).word} after ${doneText(figures)}`;
}

function doneText({ iterations, itemsEnded }: RecordedEnd['figures']): string {
  if (itemsEnded === undefined) return plural(iterations, 'iteration');
  return `${plural(iterations, 'attempt')}, ${plural(itemsEnded, 'item')} ended`;
}

function stopText(
  { class: stopClass, reasons, within, figures, asRecorded }: ReplayedStop,
  kind: Replay['kind'],
): string {
  const noun = kind === 'pipeline' ? 'attempt' : 'iteration';
  const where = within === undefined ? `after ${doneText(figures)}` : `in the middle of ${noun} ${within}`;
  return `${where} (${wordOf(stopClass, reasons[0]?.condition)})${asRecorded ? ', as it did' : ''}`;
}

function shortStop({ class: stopClass, within, iteration }: ReplayedStop): string {
  return within === undefined ? `${stopClass} at ${iteration}` : `${stopClass} in ${within}`;
}

/** The cost of an iteration is mostly told after the moment at which it would have been interrupted. */
function savedText({ iterations, costUsd, activeMs }: Saved, isWithin: boolean): string {
  if (iterations === 0 && (costUsd ?? 0) === 0 && activeMs === 0) return 'nothing';
  const cost = costUsd === undefined ? 'an unknown cost' : `${isWithin ? 'at least ' : ''}${usd(costUsd)}`;
  return `${plural(iterations, 'iteration')}, ${cost}, ${formatDuration(activeMs)} of active time`;
}

function testsText({ figures }: ReplayedStop, { figures: last }: ShownEnd): string | undefined {
  if (figures.testsPassed === undefined || last.testsPassed === undefined) return undefined;
  return `${figures.testsPassed} passed there, ${last.testsPassed} at the end`;
}

function shortTests({ figures }: ReplayedStop, { figures: last }: ShownEnd): string | undefined {
  if (figures.testsPassed === undefined || last.testsPassed === undefined) return undefined;
  return `${figures.testsPassed} → ${last.testsPassed}`;
}

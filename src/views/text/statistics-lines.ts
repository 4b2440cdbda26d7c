import { formatDuration } from '../../model/duration.js';
import type { KnownSum, Statistics } from '../../replay/statistics.js';
import type { HistoryShare } from '../../model/history.js';
import { count, percent, plural, usd } from '../../model/figures.js';
import type { Terminal } from './terminal.js';
import { type LabelledRow, labelledRows } from './labelled-rows.js';
import { oneLine } from '../../words/printable.js';

const MOST_NAMES = 10;
const MOST_DAYS = 7;
const MESSAGE_COLUMNS = 160;

/** What all runs together took, and what came of it. What is not known is said to be so. */
export function statisticsLines(statistics: Statistics, where: string, terminal: Terminal): readonly string[] {
  const { runs, outcomes, iterations, activeMs, cost, wasted } = statistics;
  const rows: LabelledRow[] = [
    [
      'outcomes',
      Object.entries(outcomes)
        .map(([outcome, number]) => `${number} ${outcome}`)
        .join(', '),
    ],
    ['iterations', `${plural(iterations, 'iteration')}, ${formatDuration(activeMs)} of active time`],
    ['cost', `${sumText(cost)}${reviewsText(statistics)}`],
    ['per goal', perGoalText(statistics)],
    ['wasted', `${sumText(wasted)}, after the last progress of each run`],
    ['no goal', ...withoutGoalTexts(statistics)],
    ['done', doneText(statistics)],
    ['models', ...shareTexts(statistics.byModel)],
    ['projects', ...(statistics.byProject.length > 1 ? shareTexts(statistics.byProject) : [])],
    ['days', ...shareTexts(statistics.byDay.slice(-MOST_DAYS).toReversed())],
    ['waited', waitedText(statistics)],
    ['flaky', ...flakyTexts(statistics)],
    ['errors', ...errorTexts(statistics)],
  ];
  return [terminal.style('bold', `${plural(runs, 'run')} in ${where}`), ...labelledRows(rows, terminal)];
}

/** Where the money went that reached no goal. */
function withoutGoalTexts({ withoutGoal }: Statistics): readonly string[] {
  return withoutGoal.length === 0 ? ['every run with a known result reached its goal'] : shareTexts(withoutGoal);
}

function doneText({ done: { said, wrong } }: Statistics): string {
  if (said === 0) return 'in no run with a known result did the agent say it was done';
  return `${plural(said, 'run')} whose agent said it was done; ${percent(wrong / said)} of them (${count(wrong)}) had not reached the goal`;
}

function shareTexts(shares: readonly HistoryShare[]): readonly string[] {
  const shown = shares
    .slice(0, MOST_NAMES)
    .map((share) => `${shareCost(share)}  ${oneLine(share.name, 60)}: ${runsText(share)}`);
  return shares.length > MOST_NAMES ? [...shown, `and ${count(shares.length - MOST_NAMES)} more`] : shown;
}

function shareCost({ usd: sum, runs, unknownRuns }: HistoryShare): string {
  if (runs === unknownRuns && sum === 0) return '$?';
  return `${unknownRuns > 0 ? 'at least ' : ''}${usd(sum)}`;
}

function runsText({ runs, goals }: HistoryShare): string {
  return `${plural(runs, 'run')}${goals === 0 ? '' : `, ${plural(goals, 'goal')}`}`;
}

function sumText({ usd: sum, knownRuns, unknownRuns }: KnownSum): string {
  if (knownRuns === 0) return 'unknown';
  if (unknownRuns === 0) return usd(sum);
  return `${usd(sum)} in ${plural(knownRuns, 'run')}, unknown in ${unknownRuns}`;
}

function reviewsText({ reviews }: Statistics): string {
  return reviews.runs === 0 ? '' : `, ${usd(reviews.usd)} of it for reviews in ${plural(reviews.runs, 'run')}`;
}

function perGoalText({ goals, costPerGoalUsd, cost }: Statistics): string {
  if (goals === 0) return 'no goal was met';
  const met = `${plural(goals, 'goal')} met`;
  if (costPerGoalUsd === undefined) return `${met}, at unknown cost`;
  const least = cost.unknownRuns > 0 ? 'at least ' : '';
  return `${least}${usd(costPerGoalUsd)} for each of ${met}, all runs counted`;
}

function waitedText({ waitedMs }: Statistics): string {
  const parts = Object.entries(waitedMs).map(([what, ms]) => `${formatDuration(ms)} for ${whatText(what)}`);
  return parts.length === 0 ? 'no time' : parts.join(', ');
}

function whatText(what: string): string {
  return what === 'usage-limit' ? 'usage limits' : what === 'approval' || what === 'answer' ? `an ${what}` : what;
}

function flakyTexts({ flakyTests, flakyUnnamedRuns: unnamedRuns }: Statistics): readonly string[] {
  const shown = flakyTests
    .slice(0, MOST_NAMES)
    .map(({ name, runs }) => `${oneLine(name, 100)} (${plural(runs, 'run')})`);
  const more = flakyTests.length - shown.length;
  const unnamed =
    unnamedRuns > 0
      ? [`in ${plural(unnamedRuns, 'run')} the tests changed on the same tree; which ones was not reported`]
      : [];
  const all = [...shown, ...(more > 0 ? [`and ${more} more`] : []), ...unnamed];
  return all.length === 0 ? ['no test both passed and failed on the same files'] : all;
}

function errorTexts({ errors }: Statistics): readonly string[] {
  const texts = errors
    .slice(0, MOST_NAMES)
    .map(({ count, message, runs }) => `${count} × ${oneLine(message, MESSAGE_COLUMNS)} (${plural(runs, 'run')})`);
  const more = errors.length - texts.length;
  return texts.length === 0 ? ['none'] : [...texts, ...(more > 0 ? [`and ${more} more`] : [])];
}

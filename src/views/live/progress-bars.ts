import { type PolicyEntry, policyEntries } from '../../model/policy.js';
import type { RunState } from '../../model/run-state.js';
import type { Judgement } from '../../model/verdict.js';
import { count } from '../../stop/figures.js';
import { type Forecast, forecast } from '../../stop/forecast.js';
import type { Style, Terminal } from '../cli/terminal.js';
import { clockText } from '../terminal/clock-text.js';
import { judgementsNow } from '../terminal/judgements-now.js';
import { oneLine } from '../terminal/one-line.js';
import { textWidth } from '../terminal/text-width.js';

const INDENT = 2;
const CLASS_COLUMNS = 8;
/** From here on a limit is near. */
const NEAR = 0.8;

interface Bar extends Judgement {
  /** When it will be reached, in ever fewer words. */
  readonly expected: readonly string[];
}

/** One bar per goal and limit, and per failure that has begun, with when it will be reached; those nearest first if they are too many. */
export function progressBars(state: RunState, most: number, nowMs: number, terminal: Terminal): readonly string[] {
  const bars = barsOf(state, nowMs);
  if (most < 1) return [];
  const nearest = bars.toSorted((a, b) => (b.progress ?? 0) - (a.progress ?? 0));
  const isTooMany = bars.length > most;
  const shown = new Set(isTooMany ? nearest.slice(0, Math.max(1, most - 1)) : bars);
  const more = isTooMany && most > 1 ? [terminal.style('dim', `  +${bars.length - shown.size} more`)] : [];
  return [...bars.filter((bar) => shown.has(bar)).map((bar) => barLine(bar, terminal)), ...more];
}

function barsOf(state: RunState, nowMs: number): readonly Bar[] {
  const now = judgementsNow(state);
  const expected = forecast(state.policy, state);
  const entries = new Map(policyEntries(state.policy).map((entry) => [entry.path, entry]));
  const limits = now.filter(({ class: stopClass }) => stopClass === 'limit');
  const goals = now.filter(({ class: stopClass }) => stopClass === 'goal');
  const begun = now.filter(({ class: stopClass, progress = 0 }) => stopClass === 'failure' && progress > 0);
  return [...goals, ...limits, ...begun].map((judgement) => {
    const reached = expected.find(({ path }) => path === judgement.path);
    return { ...judgement, expected: expectedTexts(reached, entries.get(judgement.path), nowMs) };
  });
}

/** `, reached at about iteration 34, 02:15`. */
function expectedTexts(
  reached: Forecast | undefined,
  entry: PolicyEntry | undefined,
  nowMs: number,
): readonly string[] {
  if (reached === undefined) return [];
  const time = clockText(reached.at, nowMs);
  const short = [`, reached at about ${time}`, `, about ${time}`];
  if (entry?.condition.type === 'max_iterations') return short;
  return [`, reached at about iteration ${count(reached.iteration)}, ${time}`, ...short];
}

function barLine(bar: Bar, terminal: Terminal): string {
  const { columns } = terminal;
  const cells = columns < 60 ? 8 : columns < 100 ? 12 : 24;
  const part = Math.min(1, Math.max(0, bar.progress ?? 0));
  // A bar is full only when it is.
  const filled = part >= 1 ? cells : Math.min(cells - 1, Math.round(part * cells));
  const gauge =
    terminal.style(colourOf(bar, part), '█'.repeat(filled)) + terminal.style('dim', '░'.repeat(cells - filled));
  const label = columns < 60 ? '' : terminal.style('dim', bar.class.padEnd(CLASS_COLUMNS));
  const room = columns - INDENT - (columns < 60 ? 0 : CLASS_COLUMNS) - cells - 2;
  const sentence = oneLine(bar.sentence, room);
  const after = bar.expected.find((text) => textWidth(sentence) + textWidth(text) <= room) ?? '';
  return `${' '.repeat(INDENT)}${label}${gauge}  ${sentence}${terminal.style('dim', after)}`;
}

function colourOf({ class: stopClass }: Bar, part: number): Style {
  if (stopClass === 'goal') return 'green';
  return stopClass === 'failure' || part >= NEAR ? 'yellow' : 'cyan';
}

import { unitOf } from '../../model/figures.js';
import { policyEntries } from '../../model/policy.js';
import type { RunState } from '../../model/run-state.js';
import type { Judgement } from '../../model/verdict.js';
import { judgementsNow } from '../../stop/evaluate-policy.js';
import type { Style, Terminal } from '../text/terminal.js';
import { expectedLimits, expectedTexts } from '../../words/expected-limits.js';
import { oneLine, textWidth } from '../../words/printable.js';

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
  const isPipeline = state.pipeline !== undefined;
  const now = judgementsNow(state);
  const expected = expectedLimits(state);
  const entries = new Map(policyEntries(state.policy).map((entry) => [entry.path, entry]));
  const limits = now.filter(({ class: stopClass }) => stopClass === 'limit');
  const goals = now.filter(({ class: stopClass }) => stopClass === 'goal');
  const failures = now.filter(({ class: stopClass }) => stopClass === 'failure');
  // The rates of a pipeline are what people watch it for.
  const begun = isPipeline ? failures : failures.filter(({ progress = 0 }) => progress > 0);
  const ordered = isPipeline ? [...goals, ...begun, ...limits] : [...goals, ...limits, ...begun];
  return ordered.map((judgement) => {
    const reached = expected.find(({ path }) => path === judgement.path);
    return { ...judgement, expected: expectedTexts(reached, entries.get(judgement.path), nowMs, unitOf(state)) };
  });
}

function barLine(bar: Bar, terminal: Terminal): string {
  const part = Math.min(1, Math.max(0, bar.progress ?? 0));
  const { gauge, room } = gaugeLine(bar.class, [{ part, style: colourOf(bar, part) }], terminal);
  const sentence = oneLine(bar.sentence, room);
  const after = bar.expected.find((text) => textWidth(sentence) + textWidth(text) <= room) ?? '';
  return `${gauge}${sentence}${terminal.style('dim', after)}`;
}

function colourOf({ class: stopClass }: Bar, part: number): Style {
  if (stopClass === 'goal') return 'green';
  return stopClass === 'failure' || part >= NEAR ? 'yellow' : 'cyan';
}

const INDENT = 2;
const LABEL_COLUMNS = 8;

/** A piece of a gauge: how much of the whole it is, and its colour. */
interface GaugePart {
  readonly part: number;
  readonly style: Style;
}

/** The beginning of a line with a bar, and the columns that are left for what it says. Small terminals get no label. */
export function gaugeLine(
  label: string,
  parts: readonly GaugePart[],
  terminal: Terminal,
): { readonly gauge: string; readonly room: number } {
  const { columns } = terminal;
  const cells = columns < 60 ? 8 : columns < 100 ? 12 : 24;
  const labelColumns = columns < 60 ? 0 : LABEL_COLUMNS;
  const shown = labelColumns === 0 ? '' : terminal.style('dim', label.padEnd(LABEL_COLUMNS));
  const gauge = `${' '.repeat(INDENT)}${shown}${gaugeOf(parts, cells, terminal)}  `;
  return { gauge, room: columns - INDENT - labelColumns - cells - 2 };
}

function gaugeOf(parts: readonly GaugePart[], cells: number, terminal: Terminal): string {
  let sum = 0;
  let filled = 0;
  let text = '';
  for (const { part, style } of parts) {
    sum += part;
    // A bar is full only when it is.
    const upTo = sum >= 1 - 1e-9 ? cells : Math.min(cells - 1, Math.round(sum * cells));
    text += terminal.style(style, '█'.repeat(Math.max(0, upTo - filled)));
    filled = Math.max(filled, upTo);
  }
  return `${text}${terminal.style('dim', '░'.repeat(cells - filled))}`;
}

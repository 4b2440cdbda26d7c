import { policyEntries } from '../../model/policy.js';
import type { RunState } from '../../model/run-state.js';
import type { Judgement } from '../../model/verdict.js';
import type { Style, Terminal } from '../cli/terminal.js';
import { unitOf } from '../../model/unit.js';
import { expectedLimits, expectedTexts } from '../terminal/expected-limits.js';
import { judgementsNow } from '../../stop/evaluate-policy.js';
import { oneLine, textWidth } from '../terminal/printable.js';
import { gaugeLine } from './gauge-line.js';

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

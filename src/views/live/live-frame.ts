import type { RunState } from '../../model/run-state.js';
import { count, plural } from '../../stop/figures.js';
import { type Terminal, wrap } from '../cli/terminal.js';
import { clipLine } from '../terminal/clip-line.js';
import { eventLines } from '../terminal/event-lines.js';
import { oneLine } from '../terminal/one-line.js';
import { stateAt } from '../terminal/state-at.js';
import { fit } from '../terminal/text-width.js';
import { testsText } from '../terminal/tests-text.js';
import { askedText, headline } from './headline.js';
import { helpLines, keyLine } from './key-lines.js';
import { visiblePart } from './line-editor.js';
import type { Mode } from './live-keys.js';
import type { LiveRecord } from './live-record.js';
import { progressBars } from './progress-bars.js';
import type { Frame, ScreenSize } from './screen.js';

/** Lines that are longer are hard to read. */
const MOST_COLUMNS = 120;
const MOST_LINES = 28;
const MOST_SAID_LINES = 4;

export interface LiveInput {
  readonly record: LiveRecord;
  readonly mode: Mode;
  readonly nowMs: number;
  /** Columns and rows that may be used. */
  readonly size: ScreenSize;
  /** False when nobody runs it now. */
  readonly isLive: boolean;
  /** Without keys there is nothing to say about them. */
  readonly hasKeys: boolean;
  readonly mayLeave: boolean;
  /** Something to be said for a moment. */
  readonly notice?: string | undefined;
}

/** A line and how much it is needed: where there is no room the highest ranks go first. */
interface RankedLine {
  readonly text: string;
  readonly rank: number;
}

/** The live part of the screen: a function of the record, the time, and what is being typed. */
export function liveFrame(input: LiveInput, base: Terminal): Frame {
  const { mode, size, hasKeys, mayLeave, isLive } = input;
  const nowMs = isLive ? input.nowMs : lastMs(input);
  const terminal = { ...base, columns: Math.min(size.columns, MOST_COLUMNS) };
  const most = Math.min(size.rows, MOST_LINES);
  // Help is there for a moment and may take what there is.
  const height = mode.kind === 'help' ? most : Math.min(most, Math.max(8, Math.floor(size.rows * 0.8)));
  const typing = mode.kind === 'typing' ? typingLine(mode, terminal) : undefined;
  const last = typing?.text ?? (hasKeys ? keyLine(input.record.state, { mayLeave, isLive }, terminal) : undefined);
  const middle =
    mode.kind === 'help'
      ? ranked(helpLines(mayLeave, height - 2, terminal), 3)
      : middleLines({ ...input, nowMs }, height, terminal);
  const lines: readonly RankedLine[] = [
    { text: '', rank: 9 },
    { text: headline(input.record.state, nowMs, isLive, terminal), rank: 0 },
    ...middle,
    ...(last === undefined
      ? []
      : [
          { text: '', rank: 8 },
          { text: last, rank: 1 },
        ]),
  ];
  const kept = keepMost(lines, height).map(({ text }) => text);
  return {
    lines: kept,
    ...(typing === undefined ? {} : { cursor: { row: kept.length - 1, column: typing.column } }),
  };
}

/** Nothing goes on where nobody runs it: time stands where the record ends. */
function lastMs({ record, nowMs }: LiveInput): number {
  return Date.parse(record.state.at ?? '') || nowMs;
}

function middleLines(input: LiveInput, height: number, terminal: Terminal): readonly RankedLine[] {
  const { record, nowMs, notice } = input;
  const state = stateAt(record.state, nowMs);
  const figures = figureLines(state, terminal);
  const room = Math.max(2, height - 6 - figures.length);
  const activities = activityLines(record, Math.max(1, Math.min(8, Math.floor(room * 0.45))), terminal);
  const bars = progressBars(state, Math.max(1, room - activities.length), nowMs, terminal);
  const asked = input.isLive ? askedText(state) : 'nobody runs it now; pawl resume goes on with it';
  return [
    ...ranked(saidLines(asked, terminal), 2),
    ...ranked(saidLines(notice, terminal), 2),
    ...activities.map((text, index) => ({ text, rank: index === activities.length - 1 ? 3 : 6 })),
    ...(figures.length + bars.length === 0 ? [] : [{ text: '', rank: 7 }]),
    ...ranked(figures, 5),
    ...bars.map((text, index) => ({ text, rank: index === 0 ? 4 : 6 })),
  ];
}

/** What somebody has to read to the end. */
function saidLines(text: string | undefined, terminal: Terminal): readonly string[] {
  if (text === undefined) return [];
  const lines = wrap(oneLine(text, terminal.columns * MOST_SAID_LINES), terminal.columns);
  return lines.map((line) => terminal.style('yellow', oneLine(line, terminal.columns)));
}

/** The last words and calls, the newest last. */
function activityLines({ activities }: LiveRecord, most: number, terminal: Terminal): readonly string[] {
  let shown: readonly string[] = [];
  for (const { event, fold } of activities.toReversed()) {
    const room = most - shown.length;
    if (room <= 0) break;
    const lines = eventLines(event, fold, terminal);
    const [last = ''] = lines.slice(room - 1);
    // A message begins with its first words, or is not there.
    const kept =
      lines.length <= room ? lines : [...lines.slice(0, room - 1), `${clipLine(last, terminal.columns - 2)} …`];
    shown = [...kept, ...shown];
  }
  return shown;
}

/** Tests, files and context, where they are known. */
function figureLines(state: RunState, terminal: Terminal): readonly string[] {
  const figures = [
    ['tests', testsNow(state)],
    ['files', filesNow(state)],
    ['context', contextNow(state)],
  ] as const;
  const known = figures.filter(([, text]) => text !== undefined);
  return known.map(
    ([label, text = '']) => `  ${terminal.style('dim', label.padEnd(8))}${fit(text, terminal.columns - 10)}`,
  );
}

/** As they were when they were last run, with the change from the time before. */
function testsNow({ recent, baseline, latest, open }: RunState): string | undefined {
  const counted = recent.filter(({ testsPassed }) => testsPassed !== undefined);
  const now = counted.at(-1);
  if (now?.testsPassed === undefined) {
    const tests = open === undefined ? (latest.observation.tests ?? baseline?.tests) : baseline?.tests;
    if (tests?.passed === undefined) return tests && testsText(tests);
    return `${count(tests.passed)} passed, ${count(tests.failed ?? 0)} failed`;
  }
  const before = counted.at(-2)?.testsPassed ?? baseline?.tests?.passed;
  const change = before === undefined ? 0 : now.testsPassed - before;
  const changed = change === 0 ? '' : ` (${change > 0 ? '+' : ''}${count(change)} since last time)`;
  return `${count(now.testsPassed)} passed, ${count(now.testsFailed ?? 0)} failed${changed}`;
}

function filesNow({ recent }: RunState): string | undefined {
  const last = recent.findLast(({ changedFiles }) => changedFiles !== undefined);
  if (last?.changedFiles === undefined) return undefined;
  const files = last.changedFiles === 0 ? 'none' : plural(last.changedFiles, 'file');
  return `${files} changed in iteration ${count(last.iteration)}`;
}

function contextNow({ context, spec }: RunState): string | undefined {
  if (context === undefined || context.windowTokens <= 0) return undefined;
  const { usedTokens, windowTokens } = context;
  const redline = spec?.contextRedlinePercent;
  const reboot = redline === undefined || redline >= 100 ? '' : `, a fresh session above ${redline}%`;
  return `${Math.round((usedTokens / windowTokens) * 100)}% of ${count(windowTokens)} tokens${reboot}`;
}

function typingLine(mode: Extract<Mode, { kind: 'typing' }>, terminal: Terminal): { text: string; column: number } {
  const label = mode.what === 'steer' ? 'tell the agent: ' : 'reject because: ';
  const hint = '  Enter sends, Esc cancels';
  const isWide = terminal.columns >= 70;
  const room = Math.max(4, terminal.columns - label.length);
  const { text, column } = visiblePart(mode.line, room);
  const after = isWide && mode.line.before + mode.line.behind === '' ? terminal.style('dim', hint) : '';
  return { text: `${terminal.style('bold', label)}${text}${after}`, column: label.length + column };
}

function ranked(texts: readonly string[], rank: number): readonly RankedLine[] {
  return texts.map((text) => ({ text, rank }));
}

function keepMost(lines: readonly RankedLine[], height: number): readonly RankedLine[] {
  const byNeed = lines
    .map((line, index) => ({ line, index }))
    .toSorted((a, b) => a.line.rank - b.line.rank || a.index - b.index);
  const kept = new Set(byNeed.slice(0, height).map(({ line }) => line));
  return lines.filter((line) => kept.has(line));
}

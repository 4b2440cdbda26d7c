import { runName } from '../../model/run-name.js';
import type { RunState } from '../../model/run-state.js';
import { type Terminal, wrap } from '../text/terminal.js';
import { stateAt } from '../../words/state-at.js';
import { oneLine } from '../../words/printable.js';
import { askedText, headline } from './headline.js';
import { helpLines, keyLine } from './key-lines.js';
import { visiblePart } from './line-editor.js';
import type { Mode } from './live-keys.js';
import type { LiveRecord } from '../text/live-record.js';
import { LOOP_PARTS } from './loop-lines.js';
import { PIPELINE_PARTS } from './pipeline-lines.js';
import { keepMost, ranked, type RankedLine } from './frame-parts.js';
import type { Frame, ScreenSize } from './screen.js';

const LABELS = { steer: 'to the agent: ', reject: 'reject because: ', answer: 'your answer: ' } as const;

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
  /** False when no one runs it now. */
  readonly isLive: boolean;
  /** Only the fleet continues it. */
  readonly isOfFleet?: boolean | undefined;
  /** Without keys there is nothing to say about them. */
  readonly hasKeys: boolean;
  readonly mayLeave: boolean;
  /** Something to be said for a moment. */
  readonly notice?: string | undefined;
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
  const { where, middle } = input.record.state.pipeline === undefined ? LOOP_PARTS : PIPELINE_PARTS;
  const said = saidAbove({ ...input, nowMs }, terminal);
  // What is said takes its room from the middle, not from the blank line above the name of the run.
  const room = Math.max(8, height - said.length);
  const below =
    mode.kind === 'help'
      ? ranked(helpLines(input.record.state, mayLeave, height - 2, terminal), 3)
      : [...said, ...middle({ ...input, nowMs }, room, terminal)];
  const lines: readonly RankedLine[] = [
    { text: '', rank: 9 },
    ...nameLines(input.record.state, terminal),
    { text: headline(where(input.record, nowMs, isLive), input.record.state, nowMs, terminal), rank: 0 },
    ...below,
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

/** Which run it is: its task and its folder. */
function nameLines(state: RunState, terminal: Terminal): readonly RankedLine[] {
  if (state.spec === undefined) return [];
  const name = `${runName(state)} (in ${state.spec.workingDir.split('/').at(-1)})`;
  return [{ text: terminal.style('dim', oneLine(name, terminal.columns)), rank: 8 }];
}

/** Nothing continues where no one runs it: time stands where the record ends. */
function lastMs({ record, nowMs }: LiveInput): number {
  return Date.parse(record.state.at ?? '') || nowMs;
}

/** What is asked of it, and what has to be said for a moment. */
function saidAbove(input: LiveInput, terminal: Terminal): readonly RankedLine[] {
  const { record, nowMs, notice, isLive, isOfFleet } = input;
  const { state } = record;
  const resume = state.pipeline === undefined ? 'pawl resume' : 'pawl pipeline run --resume';
  const next = isOfFleet === true ? 'pawl fleet status shows why' : `${resume} continues it`;
  const asked = isLive ? askedText(stateAt(state, nowMs)) : `no process runs it now; ${next}`;
  return [...ranked(saidLines(asked, terminal), 2), ...ranked(saidLines(notice, terminal), 2)];
}

/** What someone has to read to the end. */
function saidLines(text: string | undefined, terminal: Terminal): readonly string[] {
  if (text === undefined) return [];
  const lines = wrap(oneLine(text, terminal.columns * MOST_SAID_LINES), terminal.columns);
  return lines.map((line) => terminal.style('yellow', oneLine(line, terminal.columns)));
}

function typingLine(mode: Extract<Mode, { kind: 'typing' }>, terminal: Terminal): { text: string; column: number } {
  const label = LABELS[mode.what];
  const hint = '  Enter sends, Esc cancels';
  const isWide = terminal.columns >= 70;
  const room = Math.max(4, terminal.columns - label.length);
  const { text, column } = visiblePart(mode.line, room);
  const after = isWide && mode.line.before + mode.line.behind === '' ? terminal.style('dim', hint) : '';
  return { text: `${terminal.style('bold', label)}${text}${after}`, column: label.length + column };
}

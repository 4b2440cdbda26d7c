import { isEnding } from '../../model/phase.js';
import { policyEntries } from '../../model/policy.js';
import type { PipelineState } from '../../model/pipeline-state.js';
import type { RunState } from '../../model/run-state.js';
import { count } from '../../model/figures.js';
import { formatDuration } from '../../model/duration.js';
import type { Terminal } from '../text/terminal.js';
import { failedItemText } from '../../words/attempt-text.js';
import { lineWidth, oneLine, textWidth } from '../../words/printable.js';
import { itemForecast, itemsOf } from '../../words/item-figures.js';
import { ITEM_COLOURS } from '../text/item-lines.js';
import { shortId } from '../../words/short-id.js';
import { stateAt } from '../../words/state-at.js';
import { elapsedText, heldUp } from '../../words/where-text.js';
import { waitingItems, waitsText, type WaitingItem } from '../../words/waiting-items.js';
import { type FrameParts, ranked, type RankedLine } from './frame-parts.js';
import { gaugeLine, progressBars } from './progress-bars.js';
import type { LiveRecord } from '../text/live-record.js';

const STATUSES = ['approved', 'rejected', 'failed'] as const;
const MOST_OPEN_LINES = 8;
const MOST_FAILURE_LINES = 3;
const MOST_ID_COLUMNS = 40;

/** What is shown of a pipeline: how far its items are, those in flight, what could halt it, and what failed last. */
export const PIPELINE_PARTS: FrameParts = {
  where({ state, items }, nowMs, isLive) {
    const held = heldUp(state, nowMs, isLive);
    const run = `run ${shortId(state.runId ?? '')}`;
    if (held !== undefined) return [`${run}, ${held}`, ['bold', 'yellow']];
    return [`${run}, ${underWayText(items.open.length, waitingItems(state, items, nowMs).length)}`, 'bold'];
  },
  middle({ record, nowMs, isLive }, height, terminal) {
    const state = stateAt(record.state, nowMs);
    const waiting = isLive ? waitingItems(record.state, record.items, nowMs) : [];
    const items = itemLines(state, terminal);
    // Headline, keys, the items, and the empty lines between them.
    const room = Math.max(2, height - 6 - items.length);
    const failures = failureLines(record, failureRoom(record, waiting.length, room), terminal);
    const rest = room - (failures.length === 0 ? 0 : failures.length + 1);
    const most = Math.max(1, Math.min(MOST_OPEN_LINES, Math.floor(rest * 0.45)));
    const open = openLines(record, waiting, { most, nowMs }, terminal);
    const bars = progressBars(state, Math.max(1, rest - open.length), nowMs, terminal);
    return [
      ...items,
      ...open.map((text, index) => ({ text, rank: index === 0 ? 4 : 6 })),
      ...block(bars.map((text, index) => ({ text, rank: index === 0 ? 5 : 6 }))),
      ...block(ranked(failures, 6)),
    ];
  },
};

/** `2 in flight, 1 waits`. */
function underWayText(open: number, waiting: number): string {
  const inFlight = open === 0 ? 'nothing in progress' : `${count(open)} in progress`;
  return waiting === 0 ? inFlight : `${inFlight}, ${count(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`;
}

/** Failures have scrolled by already: where there is little room, the bars come first. */
function failureRoom({ state, items }: LiveRecord, waiting: number, room: number): number {
  const underWay = items.open.length + waiting;
  const others = Math.min(MOST_OPEN_LINES, underWay) + policyEntries(state.policy).length + 1;
  return Math.max(room < 6 ? 0 : 1, Math.min(MOST_FAILURE_LINES, room - others));
}

function block(lines: readonly RankedLine[]): readonly RankedLine[] {
  return lines.length === 0 ? [] : [{ text: '', rank: 7 }, ...lines];
}

/** One bar of all items, with their counts; the pace stands behind them, or below where there is no room. */
function itemLines(state: RunState, terminal: Terminal): readonly RankedLine[] {
  const { pipeline } = state;
  if (pipeline === undefined) return [];
  const { items, done } = itemsOf(pipeline);
  const parts = STATUSES.map((status) => ({
    part: pipeline[status] / Math.max(1, items),
    style: ITEM_COLOURS[status],
  }));
  const { gauge, room } = gaugeLine('items', parts, terminal);
  const start = `${count(done)} of ${count(items)}`;
  const counts = countTexts(pipeline, terminal).find((text) => start.length + lineWidth(text) <= room) ?? '';
  const paces = paceTexts(state);
  const left = room - start.length - lineWidth(counts);
  const beside = paces.find((text) => textWidth(text) + 2 <= left);
  const below = beside === undefined ? paces.find((text) => textWidth(text) <= room) : undefined;
  return [
    { text: `${gauge}${start}${counts}${beside === undefined ? '' : terminal.style('dim', `, ${beside}`)}`, rank: 3 },
    ...(below === undefined
      ? []
      : [{ text: `${' '.repeat(lineWidth(gauge))}${terminal.style('dim', below)}`, rank: 6 }]),
  ];
}

/** In ever fewer words. */
function countTexts(pipeline: PipelineState, terminal: Terminal): readonly string[] {
  const { approved, rejected, failed } = pipeline;
  const shown = STATUSES.filter((status) => pipeline[status] > 0);
  if (shown.length === 0) return [];
  const all = shown.map((status) => terminal.style(ITEM_COLOURS[status], `${count(pipeline[status])} ${status}`));
  const others = rejected + failed === 0 ? '' : `, ${terminal.style('red', `${count(rejected + failed)} not`)}`;
  return [
    `: ${all.join(', ')}`,
    `: ${terminal.style('green', `${count(approved)} approved`)}${others}`,
    rejected + failed === 0 ? '' : `, ${terminal.style('red', `${count(rejected + failed)} not approved`)}`,
  ];
}

function paceTexts(state: RunState): readonly string[] {
  const expected = itemForecast(state);
  if (expected === undefined || itemsOf(state.pipeline).left === 0 || isEnding(state)) return [];
  const time = `about ${elapsedText(roundedMs(expected.leftMs))} left`;
  return [`${time} at ${expected.rate}`, time];
}

/** A forecast to the second would change with every look at it. */
function roundedMs(ms: number): number {
  const stepMs = ms < 60_000 ? 5000 : ms < 3_600_000 ? 60_000 : 600_000;
  return Math.max(stepMs, Math.round(ms / stepMs) * stepMs);
}

/** The attempts under way, those that began first on top, and below them what waits; as many as there is room for. */
function openLines(
  { items: { open } }: LiveRecord,
  waiting: readonly WaitingItem[],
  { most, nowMs }: { readonly most: number; readonly nowMs: number },
  terminal: Terminal,
): readonly string[] {
  const all = [
    ...open.map(({ item, attempt, startedAt }) => {
      const since = sinceText(nowMs - Date.parse(startedAt));
      return { item, text: `attempt ${count(attempt)}  ${terminal.style('dim', since)}` };
    }),
    ...waiting.map((each) => ({ item: each.item, text: terminal.style('dim', waitsText(each)) })),
  ];
  const shown = all.length > most ? all.slice(0, Math.max(1, most - 1)) : all;
  const idColumns = Math.min(MOST_ID_COLUMNS, Math.max(8, terminal.columns - 30));
  const ids = shown.map(({ item }) => oneLine(item, idColumns));
  const width = Math.max(0, ...ids.map(textWidth));
  const lines = shown.map(({ text }, index) => {
    const id = ids[index] ?? '';
    return `  ${id}${' '.repeat(width - textWidth(id))}  ${text}`;
  });
  const more = all.length - shown.length;
  const what = waiting.length === 0 ? 'more in progress' : 'more';
  return more > 0 && most > 1 ? [...lines, terminal.style('dim', `  +${count(more)} ${what}`)] : lines;
}

function sinceText(ms: number): string {
  return ms >= 1000 ? formatDuration(Math.floor(ms / 1000) * 1000) : '0s';
}

function failureLines({ items: { failures } }: LiveRecord, most: number, terminal: Terminal): readonly string[] {
  if (most < 1) return [];
  return failures.slice(-most).map((failure) => {
    const text = oneLine(failedItemText(failure), terminal.columns - 4);
    return `  ${terminal.style(ITEM_COLOURS[failure.status], '✗')} ${text}`;
  });
}

import { openIteration } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import { count, plural } from '../../model/figures.js';
import { goalFigures } from '../../stop/what-is-left.js';
import type { Terminal } from '../text/terminal.js';
import { clipLine, fit } from '../../words/printable.js';
import { eventLines } from '../text/event-lines.js';
import { goalText } from '../text/end-report.js';
import { stateAt } from '../../words/state-at.js';
import { testsText } from '../../words/iteration-text.js';
import { type FrameParts, ranked } from './frame-parts.js';
import { loopWhere } from './headline.js';
import type { LiveRecord } from '../text/live-record.js';
import { progressBars } from './progress-bars.js';

/** What is shown of a loop: what its agent does, what came of it, and how far it is. */
export const LOOP_PARTS: FrameParts = {
  where: ({ state }, nowMs, isLive) => loopWhere(state, nowMs, isLive),
  middle({ record, nowMs }, height, terminal) {
    const state = stateAt(record.state, nowMs);
    const figures = figureLines(state, terminal);
    const room = Math.max(2, height - 6 - figures.length);
    const activities = activityLines(record, Math.max(1, Math.min(8, Math.floor(room * 0.45))), terminal);
    const bars = progressBars(state, Math.max(1, room - activities.length), nowMs, terminal);
    return [
      ...activities.map((text, index) => ({ text, rank: index === activities.length - 1 ? 3 : 6 })),
      ...(figures.length + bars.length === 0 ? [] : [{ text: '', rank: 7 }]),
      ...ranked(figures, 5),
      ...bars.map((text, index) => ({ text, rank: index === 0 ? 4 : 6 })),
    ];
  },
};

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

const GOAL_LABELS = { checklist: 'boxes', metric: 'metric' } as const;

/** Tests, goals without tests, files and context, where they are known. */
function figureLines(state: RunState, terminal: Terminal): readonly string[] {
  const goals = goalFigures(state).map((figure) => [GOAL_LABELS[figure.kind], goalText(figure)] as const);
  const figures = [
    ['tests', testsNow(state)],
    ...goals,
    ['files', filesNow(state)],
    ['context', contextNow(state)],
  ] as const;
  const known = figures.filter(([, text]) => text !== undefined);
  return known.map(
    ([label, text = '']) => `  ${terminal.style('dim', label.padEnd(8))}${fit(text, terminal.columns - 10)}`,
  );
}

/** As they were when they were last run, with the change from the time before. */
function testsNow(state: RunState): string | undefined {
  const { recent, baseline, latest } = state;
  const open = openIteration(state);
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
  const reboot = redline === undefined || redline >= 100 ? '' : `, a new session above ${redline}%`;
  return `${Math.round((usedTokens / windowTokens) * 100)}% of ${count(windowTokens)} tokens${reboot}`;
}

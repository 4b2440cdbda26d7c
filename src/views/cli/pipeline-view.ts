import { formatDuration } from '../../model/duration.js';
import { itemAt } from '../../model/item-state.js';
import { policyEntries } from '../../model/policy.js';
import { endedItems, ratesOf } from '../../model/reduce-pipeline.js';
import type { EventOf, EventType, RunEvent } from '../../model/run-event.js';
import { INITIAL_STATE, type PipelineState, type RunState } from '../../model/run-state.js';
import { haltReasonOf } from '../../pipeline/halt-reason.js';
import type { PipelineResult } from '../../pipeline/pipeline-handle.js';
import type { PipelinePlan } from '../../pipeline/pipeline-plan.js';
import { statisticsOf } from '../../pipeline/statistics.js';
import { count, percent, plural } from '../../stop/figures.js';
import { entryText } from '../terminal/entry-text.js';
import { eventLines } from '../terminal/event-lines.js';
import { type LabelledRow, labelledRows } from '../terminal/labelled-rows.js';
import { oneLine } from '../terminal/one-line.js';
import { printable } from '../terminal/printable.js';
import { spendText } from '../terminal/spend-text.js';
import { systemErrorWords } from '../../model/system-error-words.js';
import { lossyLines } from './lossy-lines.js';
import type { FragileView } from './lines-view.js';
import { isAnswered } from './run-signals.js';
import { type Style, type Terminal, wrap } from './terminal.js';

export interface PipelineViewOptions {
  readonly terminal: Terminal;
  /** The run folder, as it is to be shown. */
  readonly folder: string;
  /** What a command needs to find the run from here. */
  readonly place: string;
  readonly json: boolean;
}

export interface PipelineView extends FragileView {
  readonly sayEnd: (result: PipelineResult) => void;
  /** One line of JSON for whoever reads logs, when a run was halted. */
  readonly sayHalt: (result: PipelineResult) => void;
}

/** Of the other events these are shown as in a loop. */
const SHOWN: ReadonlySet<EventType> = new Set<EventType>([
  'paused',
  'resumed',
  'waiting-started',
  'waiting-ended',
  'command-received',
  'limit-extended',
  'run-resumed',
  'notification-sent',
  'error-seen',
  'limit-hit',
]);

const COLOURS = { approved: 'green', rejected: 'yellow', failed: 'red', retry: 'dim' } as const;

/** Plain lines: what is done, one line per item and per attempt that was not approved. */
export function pipelineView(options: PipelineViewOptions): PipelineView {
  const { terminal } = options;
  const lines = lossyLines(terminal);
  let before = INITIAL_STATE;
  const sayEnd = (result: PipelineResult) => {
    for (const line of reportLines(result, options)) terminal.say(line);
  };
  return {
    onEvent(event, after) {
      for (const line of linesOf(event, before, after, terminal)) lines.say(line);
      before = after;
    },
    end(result) {
      lines.flush();
      terminal.say();
      sayEnd(result);
    },
    sayEnd,
    sayHalt: (result) => {
      if (options.json && result.status === 'stopped') terminal.note(haltLine(result));
    },
  };
}

function linesOf(event: RunEvent, before: RunState, after: RunState, terminal: Terminal): readonly string[] {
  if (event.type === 'run-started') return headerLines(after, terminal);
  if (event.type === 'item-ended') return [itemLine(event, after, terminal)];
  if (event.type === 'attempt-ended') return attemptLines(event, after, terminal);
  return SHOWN.has(event.type) && !isAnswered(event) ? eventLines(event, { before, after }, terminal) : [];
}

function headerLines(state: RunState, terminal: Terminal): readonly string[] {
  const { pipeline, runId = '', spec, policy } = state;
  if (pipeline?.spec === undefined || spec === undefined) return [];
  const title = `run ${runId}: ${plural(pipeline.items, 'item')}, ${count(pipeline.spec.concurrency)} at a time`;
  return [
    terminal.style('bold', title),
    ...labelledRows(planRows({ spec: { ...spec, policy }, pipeline: pipeline.spec, items: [] }), terminal),
    '',
  ];
}

/** What a dry run prints. */
export function pipelinePlanLines(plan: PipelinePlan, terminal: Terminal): readonly string[] {
  const items = plan.items.filter((item) => item !== undefined);
  const title = `a pipeline: ${plural(items.length, 'item')}, ${count(plan.pipeline.concurrency)} at a time`;
  const shown = plan.items.flatMap((item, index) => {
    if (item === undefined) return [];
    const path = plan.paths?.[index];
    return [`  ${oneLine(item.id, 60)}${path === undefined ? '' : ` -> ${oneLine(path, 100)}`}`];
  });
  return [terminal.style('bold', title), ...labelledRows(planRows(plan), terminal), '', ...shown];
}

function planRows({ spec, pipeline }: PipelinePlan): readonly LabelledRow[] {
  const { generate, audit, retry } = pipeline;
  const { agent, policy } = spec;
  const entries = policyEntries(policy);
  const texts = (wanted: 'failure' | 'limit') =>
    entries.filter((entry) => entry.class === wanted).map((entry) => entryText(entry, policy));
  const rows: LabelledRow[] = [
    ['generate', generate.command ?? (agent.model === undefined ? agent.name : `${agent.name} with ${agent.model}`)],
    ['output', generate.output],
    ['audit', audit?.command ?? 'none: whatever is made is approved'],
    ['attempts', `at most ${count(retry.maxAttempts)} for each item`],
    ['halts', ...texts('failure')],
    ['limits', ...texts('limit')],
  ];
  return rows;
}

function itemLine({ item, status, attempts }: EventOf<'item-ended'>, after: RunState, terminal: Terminal): string {
  const { pipeline } = after;
  const total = pipeline === undefined ? 0 : pipeline.items - (pipeline.withdrawn ?? 0);
  const done = `${pipeline === undefined ? '' : endedItems(pipeline)}/${total}`.padStart(String(total).length * 2 + 1);
  const again = attempts > 1 ? `  (${plural(attempts, 'attempt')})` : '';
  return `${done}  ${terminal.style(COLOURS[status], status.padEnd(8))}  ${oneLine(item, 60)}${again}`;
}

function attemptLines(
  { item, attempt, outcome, reasons = [], message }: EventOf<'attempt-ended'>,
  after: RunState,
  terminal: Terminal,
): readonly string[] {
  if (outcome === 'approved') return [];
  const width = String(after.pipeline?.items ?? 0).length * 2 + 1;
  const why = [reasons.join(', '), message ?? ''].filter((part) => part !== '').join(': ');
  const text = `${outcome.padEnd(8)}  ${oneLine(item, 60)}  attempt ${attempt}${why === '' ? '' : `: ${oneLine(why, 160)}`}`;
  return [`${' '.repeat(width)}  ${terminal.style('dim', text)}`];
}

function reportLines({ runId, state, error }: PipelineResult, options: PipelineViewOptions): readonly string[] {
  const { terminal, folder, place } = options;
  const { pipeline, ended, status } = state;
  const broken = error ?? ended?.error;
  const outcome = broken === undefined ? status : 'error';
  const [primary, ...others] = ended?.reasons ?? [];
  const why = broken === undefined ? (primary?.message ?? '') : systemErrorWords(broken);
  const isGood = outcome === 'completed' && ended?.class === 'goal';
  const style: Style = ['bold', isGood ? 'green' : outcome === 'error' ? 'red' : 'yellow'];
  const rows: LabelledRow[] = [
    ['also', ...others.map(({ message, class: stopClass }) => `${message} (${stopClass})`)],
    ...(pipeline === undefined ? [] : figureRows(pipeline)),
    ['active time', formatDuration(state.activeMs)],
    ['spent', spendText(state)],
    ['record', folder],
    ['next', ...nextRows(runId, state, place)],
  ];
  return [
    ...wrap(printable(`${outcome}${why === '' ? '' : `: ${why}`}`), terminal.columns).map((line) =>
      terminal.style(style, line),
    ),
    ...labelledRows(rows, terminal),
  ];
}

function figureRows(pipeline: PipelineState): readonly LabelledRow[] {
  const { approved, rejected, failed, items, withdrawn = 0, attempts } = pipeline;
  const left = items - withdrawn - endedItems(pipeline);
  const { retryRate, rejectRate } = ratesOf(pipeline);
  return [
    [
      'items',
      `${approved} approved, ${rejected} rejected, ${failed} failed, ${left} left of ${count(items - withdrawn)}`,
    ],
    ['attempts', `${count(attempts)} (${percent(retryRate)} of the items took more than one)`],
    ['not approved', rejectRate > 0 ? `${percent(rejectRate)}: ${notApproved(pipeline)}` : undefined],
  ];
}

const MOST_NAMED = 5;

function notApproved({ states, items }: PipelineState): string {
  const names: string[] = [];
  for (let index = 0; index < items && names.length <= MOST_NAMED; index++) {
    const item = itemAt(states, index);
    if (item?.status === 'rejected' || item?.status === 'failed') names.push(oneLine(item.item, 40));
  }
  return names.length > MOST_NAMED ? `${names.slice(0, MOST_NAMED).join(', ')} and others` : names.join(', ');
}

function nextRows(runId: string, { status, ended }: RunState, place: string): LabelledRow[1][] {
  const redo = ended?.class === 'goal' ? [] : [{ command: `pawl pipeline run --resume ${runId} --redo ID${place}` }];
  return status === 'completed' ? redo : [{ command: `pawl pipeline run --resume ${runId}${place}` }];
}

/** Story 4.4's log line. */
function haltLine({ runId, state }: PipelineResult): string {
  const { pipeline, ended } = state;
  const reason = ended?.reasons[0];
  if (pipeline === undefined || reason === undefined) return '';
  const { condition, message } = haltReasonOf(reason, { ...pipeline, ...pipeline.atHalt });
  const hint = `pawl pipeline run --resume ${runId}`;
  const statistics = statisticsOf(pipeline);
  return JSON.stringify({ event: 'run_halted', run_id: runId, reason: condition, message, statistics, hint });
}

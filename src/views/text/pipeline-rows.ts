import { ratesOf } from '../../model/pipeline-counts.js';
import type { PipelineState } from '../../model/pipeline-state.js';
import type { RunState } from '../../model/run-state.js';
import type { Judgement } from '../../model/verdict.js';
import { evaluateRun } from '../../stop/evaluate-policy.js';
import { count, percent, plural } from '../../model/figures.js';
import { failedItemText } from '../../words/attempt-text.js';
import { itemsOf } from '../../words/item-figures.js';
import type { LabelledRow } from './labelled-rows.js';
import { oneLine } from '../../words/printable.js';
import { NO_ITEMS, type ShownItems } from '../../model/shown-items.js';
import { shortId } from '../../words/short-id.js';

const MOST_FAILURE_COLUMNS = 300;

/** The figures of a pipeline, the same wherever it is reported on: in the end report, `status` and `show`. */
export function pipelineRows(
  runId: string,
  state: RunState,
  seen: ShownItems = NO_ITEMS,
  place = '',
): readonly LabelledRow[] {
  const { pipeline } = state;
  if (pipeline === undefined) return [];
  return [
    ['items', itemsText(pipeline)],
    ['made', madeText(pipeline)],
    ['attempts', attemptsText(pipeline)],
    ['thresholds', ...thresholds(state).map(({ sentence }) => sentence)],
    ['not approved', ...failureTexts(pipeline, seen, `pawl show ${shortId(runId)}${place}`)],
  ];
}

/** What halts a pipeline, and how far it is from that now. */
export function thresholds(state: RunState): readonly Judgement[] {
  return evaluateRun(state).judgements.filter(({ class: stopClass }) => stopClass === 'failure');
}

/** `9 approved, 2 rejected, 1 failed, 18 left of 30`. */
export function itemsText(pipeline: PipelineState): string {
  const { approved, rejected, failed } = pipeline;
  const { items, left } = itemsOf(pipeline);
  const counts = `${count(approved)} approved, ${count(rejected)} rejected, ${count(failed)} failed`;
  return `${counts}, ${count(left)} left of ${count(items)}`;
}

function attemptsText(pipeline: PipelineState): string {
  const { retryRate } = ratesOf(pipeline);
  const { attempts } = pipeline;
  return `${count(attempts)}${retryRate > 0 ? ` (${percent(retryRate)} of the items took more than one)` : ''}`;
}

function madeText({ approved, spec }: PipelineState): string | undefined {
  const output = spec?.generate.output;
  if (output === undefined || approved === 0) return undefined;
  return `${plural(approved, 'file')} at ${oneLine(output, 200)}`;
}

function failureTexts(pipeline: PipelineState, { failures }: ShownItems, show: string): readonly LabelledRow[1][] {
  const failed = pipeline.rejected + pipeline.failed;
  if (failed === 0) return [];
  const { rejectRate } = ratesOf(pipeline);
  const more = failed - failures.length;
  return [
    `${plural(failed, 'item')}, ${percent(rejectRate)} of those that are done${failures.length > 0 && more > 0 ? '; the last ones:' : ''}`,
    ...failures.map((failure) => oneLine(failedItemText(failure), MOST_FAILURE_COLUMNS)),
    more > 0 ? `${count(more)} more: ${show}` : undefined,
  ];
}

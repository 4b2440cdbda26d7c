import { itemsFolder } from '../../../journal/run-places.js';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ListedRun } from '../../../journal/list-runs.js';
import { ConfigError } from '../../../model/errors.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { itemAt } from '../../../model/item-state.js';
import type { RunEvent } from '../../../model/run-event.js';
import type { PipelineState } from '../../../model/pipeline-state.js';
import type { RunState } from '../../../model/run-state.js';
import { fieldText, type Item } from '../../../pipeline/item.js';
import { readItems } from '../../../pipeline/items-file.js';
import { outputPaths } from '../../../pipeline/output-path.js';
import { plural } from '../../../model/figures.js';
import { attemptSpend } from '../../../words/attempt-text.js';
import { itemDetails, type ShownAttempt, type ShownItem } from '../../text/item-details.js';
import { jsonText } from '../../text/json-text.js';
import { oneLine } from '../../../words/printable.js';
import { shownPath } from '../../../app/shown-path.js';
import { exitCodeOfRecord, readRecord } from '../../../app/read-record.js';
import type { CommandContext } from '../command-context.js';

/** One item of a pipeline with all its attempts. Throws ConfigError when the run has no such item. */
export async function showItem(run: ListedRun, id: string, json: boolean, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const attempts = collectAttempts(id);
  const record = await readRecord(run, (event, before) => attempts.see(event, before));
  const { pipeline } = record.state;
  const known = pipeline === undefined ? [] : itemsOfRun(run, pipeline);
  const begun = attempts.index();
  const index = begun ?? known.findIndex((item) => item?.id === id);
  if (index < 0) {
    if (record.isDamaged) return exitCodeOfRecord(record, terminal);
    throw noSuchItem(run.runId, id, known, record.state);
  }
  const output = outputOf(known, index, pipeline);
  const shown: ShownItem = {
    item: id,
    index,
    state: itemAt(pipeline?.states, index),
    attempts: attempts
      .all()
      .map((attempt) => ({ ...attempt, output: keptOutput(run, index, attempt, output, context.cwd) })),
    output,
  };
  if (json) terminal.raw(`${jsonText(jsonOf(shown), 2)}\n`);
  else for (const line of itemDetails(shown, context)) terminal.say(line);
  return exitCodeOfRecord(record, terminal);
}

/** What is recorded of one item, attempt by attempt; what was tried before it was wanted again is told, too. */
function collectAttempts(id: string) {
  const attempts: ShownAttempt[] = [];
  let index: number | undefined;
  return {
    see(event: RunEvent, before: RunState): void {
      if (event.type === 'item-started' && event.item === id) index = event.index;
      if (event.type === 'attempt-started' && event.item === id) {
        attempts.push({ attempt: event.attempt, startedAt: event.at });
      }
      if (event.type !== 'attempt-ended' || event.item !== id) return;
      const open = attempts.at(-1)?.ended === undefined ? attempts.pop() : undefined;
      const spend = attemptSpend(event, before);
      attempts.push({ attempt: event.attempt, startedAt: open?.startedAt, ended: event, spend });
    },
    index: () => index,
    all: (): readonly ShownAttempt[] => attempts,
  };
}

/** The items as they were recorded, at their indexes; none where that file is gone. */
function itemsOfRun({ folder }: ListedRun, { spec }: PipelineState): readonly (Item | undefined)[] {
  const lines = spec === undefined ? undefined : readItems(folder, spec.itemsHash);
  return (lines ?? []).map((line) => {
    const fields = JSON.parse(line) as Item['fields'] | null;
    return fields === null ? undefined : { id: fieldText(fields['id']), fields, place: '' };
  });
}

function outputOf(known: readonly (Item | undefined)[], index: number, pipeline: PipelineState | undefined) {
  const item = known[index];
  const template = pipeline?.spec?.generate.output;
  if (item === undefined || template === undefined) return undefined;
  try {
    return outputPaths(template, [item])[0];
  } catch {
    // A secret that was taken out of the record may have been part of it.
    return undefined;
  }
}

/** The last output that was not approved is kept next to the record. */
function keptOutput(
  { runId, workingDir }: ListedRun,
  index: number,
  { attempt, ended }: ShownAttempt,
  output: string | undefined,
  cwd: string,
): string | undefined {
  if (ended === undefined || ended.outcome === 'approved' || output === undefined) return undefined;
  const items = itemsFolder(runId, workingDir);
  const kept = join(items, String(index).padStart(6, '0'), String(attempt), basename(output));
  return existsSync(kept) ? shownPath(kept, cwd) : undefined;
}

function noSuchItem(
  runId: string,
  id: string,
  known: readonly (Item | undefined)[],
  { pipeline }: RunState,
): ConfigError {
  const [first] = known.filter((item) => item !== undefined);
  const such = first === undefined ? '' : `, such as ${oneLine(first.id, 40)}`;
  const items = plural(pipeline?.items ?? 0, 'item');
  return new ConfigError([{ path: '', message: `${runId} has no item ${JSON.stringify(id)}: it has ${items}${such}` }]);
}

function jsonOf({ item, index, state, attempts, output }: ShownItem) {
  return {
    item,
    index,
    status: state?.status ?? (attempts.at(-1)?.ended === undefined && attempts.length > 0 ? 'in_progress' : 'pending'),
    output: state?.status === 'approved' ? output : undefined,
    attempts: attempts.map(({ attempt, startedAt, ended, spend, output: kept }) => ({
      attempt,
      startedAt,
      endedAt: ended?.at,
      outcome: ended?.outcome,
      reasons: ended?.reasons,
      score: ended?.score,
      message: ended?.message,
      printed: ended?.output,
      durationMs: ended?.durationMs,
      spend: spend?.told,
      spendEstimated: spend?.isEstimated === true ? true : undefined,
      spendPartial: spend?.isPartial === true ? true : undefined,
      output: kept,
    })),
  };
}

import { endOf } from '../../../model/phase.js';
import { shownStatus } from '../../../model/outcome.js';
import type { ListedRun } from '../../../journal/list-runs.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { failedTable } from '../../text/failed-table.js';
import { reduceItems, type FailedItem, failedItem, NO_ITEMS, type ShownItems } from '../../../model/shown-items.js';
import type { RunEvent } from '../../../model/run-event.js';
import { jsonText } from '../../text/json-text.js';
import { pipelineHeader } from '../run/pipeline-plan-lines.js';
import { exitCodeOfRecord, readRecord, type RunRecord } from '../../../app/read-record.js';
import type { Terminal } from '../../text/terminal.js';
import { workJson } from '../../../app/status-json.js';

/** A pipeline: what it was told to do, the items that were not approved, and how it stands. */
export async function showPipeline(
  run: ListedRun,
  json: boolean,
  sayEnd: (record: RunRecord) => void,
  terminal: Terminal,
): Promise<ExitCode> {
  const collected = collectFailed();
  const record = await readRecord(run, (event) => collected.see(event));
  const failed = collected.all();
  if (json) terminal.raw(`${jsonText(jsonOf(run, record, failed), 2)}\n`);
  else {
    for (const line of pipelineHeader(record.state, terminal)) terminal.say(line);
    if (failed.length > 0) terminal.say();
    for (const line of failedTable(failed, terminal)) terminal.say(line);
    terminal.say();
    sayEnd(record);
  }
  return exitCodeOfRecord(record, terminal);
}

/** Every item that is final and not approved, by its index. */
function collectFailed(): { readonly see: (event: RunEvent) => void; readonly all: () => readonly FailedItem[] } {
  const failed = new Map<number, FailedItem>();
  let seen: ShownItems = NO_ITEMS;
  return {
    see(event) {
      if (event.type === 'item-reopened') failed.delete(event.index);
      const found = event.type === 'item-ended' ? failedItem(seen, event) : undefined;
      if (found !== undefined) failed.set(found.index, found);
      seen = reduceItems(seen, event);
    },
    all: () => [...failed.values()].toSorted((a, b) => a.index - b.index),
  };
}

function jsonOf(run: ListedRun, { state, problem }: RunRecord, notApproved: readonly FailedItem[]) {
  const { runId, startedAt, spec, policy, pipeline } = state;
  const ended = endOf(state);
  return {
    runId,
    kind: state.kind,
    status: shownStatus(state, run.holder !== undefined),
    startedAt,
    spec,
    pipeline: pipeline?.spec,
    policy,
    ...workJson(state),
    notApproved,
    ended,
    folder: run.folder,
    problem,
  };
}

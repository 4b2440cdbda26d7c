import { shownStatus } from '../../../model/outcome.js';
import { type ListedRun, locateRun } from '../../../journal/list-runs.js';
import { ConfigError } from '../../../model/errors.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { plural } from '../../../model/figures.js';
import { csvExport } from '../../text/export/csv-export.js';
import { createExportCleaner, type ExportCleaner } from '../../text/export/export-cleaner.js';
import { createExportFold } from '../../text/export/export-fold.js';
import { htmlExport } from '../../text/export/html-export.js';
import { makeExport, type ReportSummary, summaryOf } from '../../text/export/make-export.js';
import { markdownExport } from '../../text/export/markdown-export.js';
import type { RunExport } from '../../text/export/run-export.js';
import { jsonText } from '../../text/json-text.js';
import { shortId } from '../../../words/short-id.js';
import { type ExportFormat, exportFormat } from './export-format.js';
import { type ExportTarget, openExportTarget } from './export-target.js';
import {
  exitCodeOfRecord,
  isEmptyRecord,
  NOTHING_RECORDED,
  readRecord,
  type RunRecord,
} from '../../../app/read-record.js';
import { placeOfRun } from '../../../app/fleet-records.js';
import { runFolderOf } from '../../../app/run-folder.js';
import type { Terminal } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';

export interface ExportOptions {
  readonly cwd?: string;
  readonly format?: ExportFormat;
  readonly json?: boolean;
  readonly file?: string;
  readonly force?: boolean;
  readonly output?: boolean;
  /** False with `--no-output-text`. */
  readonly outputText: boolean;
}

/** One line may be long, and many short ones are written together. */
const BATCH_CHARACTERS = 256 * 1024;

/** A run in a form that can be handed to others, or kept after `pawl prune`. */
export async function exportCommand(
  reference: string | undefined,
  options: ExportOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const format = exportFormat(options);
  checkOptions(options, format, terminal);
  const workingDir = await placeOfRun(runFolderOf(options.cwd, context).workingDir, reference, context);
  const run = locateRun(workingDir, reference, context.environment);
  const cleaner = createExportCleaner({ environment: context.environment, isWithoutText: !options.outputText });
  const target = await openExportTarget(options.file, options.force === true, context);
  let record: RunRecord;
  try {
    record =
      format === 'jsonl'
        ? await writeEvents(run, cleaner, target)
        : await writeReport(run, cleaner, { target, format, hasOutput: options.output === true }, context);
    await target.finish();
  } catch (error) {
    await target.abandon();
    throw error;
  }
  if (run.holder !== undefined) terminal.note(`${shortId(run.runId)} is still running: this is its state now.`);
  return exitCodeOfRecord(withEmptiness(run, record), terminal);
}

function checkOptions({ output, outputText, file }: ExportOptions, format: ExportFormat, terminal: Terminal): void {
  if (output === true && !outputText)
    throw refused('--output', '--no-output-text leaves out what --output would include');
  if (output === true && (format === 'csv' || format === 'jsonl')) {
    const why = format === 'csv' ? 'a table has no place for it' : 'jsonl always has all of it';
    throw refused('--output', `${why}: use it with json, markdown or html`);
  }
  const isToScreen = terminal.isScreen && (file === undefined || file === '-');
  if (format === 'html' && isToScreen) {
    throw refused('--format', 'html is not readable in a terminal: use -o FILE, or a pipe');
  }
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}

/** The journal as it is, line by line, whatever its size. */
async function writeEvents(run: ListedRun, cleaner: ExportCleaner, target: ExportTarget): Promise<RunRecord> {
  let batch = '';
  const record = await readRecord(
    run,
    (event, _before, { policy }) => {
      batch += `${jsonText(cleaner.event(event, policy))}\n`;
      if (batch.length < BATCH_CHARACTERS) return undefined;
      const full = batch;
      batch = '';
      return target.write(full);
    },
    target.isOver,
  );
  const { problem } = withEmptiness(run, record);
  const last = problem === undefined ? '' : `${jsonText({ type: 'export-problem', ...cleaner.value({ problem }) })}\n`;
  await target.write(`${batch}${last}`);
  return record;
}

interface ReportRequest {
  readonly target: ExportTarget;
  readonly format: Exclude<ExportFormat, 'jsonl'>;
  readonly hasOutput: boolean;
}

async function writeReport(
  run: ListedRun,
  cleaner: ExportCleaner,
  wish: ReportRequest,
  { now }: CommandContext,
): Promise<RunRecord> {
  const fold = createExportFold(cleaner, wish.hasOutput);
  const record = await readRecord(run, fold.see);
  const { state, problem, isDamaged } = withEmptiness(run, record);
  const isLive = run.holder !== undefined;
  const { runId, workingDir } = run;
  const exportedAt = new Date(now()).toISOString();
  const status = shownStatus(state, isLive);
  const read = { runId, workingDir, state, status, isLive, problem, isDamaged, exportedAt };
  const exported = makeExport(read, fold, cleaner, wish.hasOutput);
  await wish.target.write(render(exported, summaryOf(read, cleaner), wish.format));
  return record;
}

/** A record of nothing is said to be one. */
function withEmptiness(run: ListedRun, record: RunRecord): RunRecord {
  const isEmpty = record.problem === undefined && isEmptyRecord(record.state, run.holder !== undefined);
  if (!isEmpty || record.state.seq > 0) return record;
  const seq = run.snapshot?.seq ?? 0;
  if (seq === 0) return { ...record, problem: NOTHING_RECORDED };
  const problem = `the journal is empty, but state.json counts ${plural(seq, 'event')}: what the run did and cost is unknown`;
  return { ...record, problem, isDamaged: true };
}

function render(exported: RunExport, summary: ReportSummary, format: Exclude<ExportFormat, 'jsonl'>): string {
  switch (format) {
    case 'json':
      return `${jsonText(exported, 2)}\n`;
    case 'csv':
      return csvExport(exported);
    case 'markdown':
      return markdownExport(exported, summary);
    case 'html':
      return htmlExport(exported, summary);
    default:
      return format satisfies never;
  }
}

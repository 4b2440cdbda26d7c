import { reduce } from '../../src/model/reduce.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { loopStateOf } from '../../src/model/phase.js';
import { INITIAL_STATE } from '../../src/model/run-state.js';
import { createExportCleaner, type CleanerOptions } from '../../src/views/text/export/export-cleaner.js';
import { createExportFold } from '../../src/views/text/export/export-fold.js';
import { makeExport, type ReadRun, type ReportSummary, summaryOf } from '../../src/views/text/export/make-export.js';
import type { RunExport } from '../../src/views/text/export/run-export.js';

export interface ExportWish extends Partial<CleanerOptions> {
  readonly hasOutput?: boolean;
  readonly read?: Partial<ReadRun>;
}

/** The export of a record that is in memory. */
export function exportOf(events: readonly RunEvent[], wish: ExportWish = {}): RunExport {
  return exportWithSummary(events, wish)[0];
}

/** The same with what a report for people begins with. */
export function exportWithSummary(
  events: readonly RunEvent[],
  wish: ExportWish = {},
): readonly [RunExport, ReportSummary] {
  const { environment = {}, isWithoutText, hasOutput = false, read = {} } = wish;
  const cleaner = createExportCleaner({ environment, isWithoutText });
  const fold = createExportFold(cleaner, hasOutput);
  let state = INITIAL_STATE;
  for (const event of events) {
    const before = state;
    state = reduce(before, event);
    fold.see(event, before, state);
  }
  const { runId = 'loop_01TEST' } = state;
  const status = loopStateOf(state);
  const exportedAt = '2026-03-01T12:00:00.000Z';
  const whole = { runId, workingDir: '/srv/project', state, status, isLive: false, isDamaged: false, exportedAt };
  const all = { ...whole, ...read };
  return [makeExport(all, fold, cleaner, hasOutput), summaryOf(all, cleaner)];
}

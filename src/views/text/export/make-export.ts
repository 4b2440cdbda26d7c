import { runName } from '../../../model/run-name.js';
import { endOf, hasEnded } from '../../../model/phase.js';
import type { RunState } from '../../../model/run-state.js';
import { systemErrorWords } from '../../../model/system-error-words.js';
import { resultOf } from '../../../run/history.js';
import { judgementsNow } from '../../../stop/evaluate-policy.js';
import { type RunSummary, summariseRun } from '../../../stop/run-summary.js';
import { VERSION } from '../../../version.js';
import type { ExportCleaner } from './export-cleaner.js';
import type { ExportFold } from './export-fold.js';
import { exportedFigures, exportedItems } from './exported-figures.js';
import type { ExportedItem, ExportedOutcome, ExportedRun, RunExport } from './run-export.js';

/** A run that was read to its end, or as far as it can be. */
export interface ReadRun {
  readonly runId: string;
  readonly workingDir: string;
  readonly state: RunState;
  /** As `pawl list` says it. */
  readonly status: string;
  readonly isLive: boolean;
  readonly problem?: string | undefined;
  readonly isDamaged: boolean;
  readonly exportedAt: string;
}

export function makeExport(read: ReadRun, fold: ExportFold, cleaner: ExportCleaner, hasOutput: boolean): RunExport {
  const { state } = read;
  return {
    version: 1,
    exportedAt: read.exportedAt,
    pawl: VERSION,
    run: runOf(read, cleaner),
    outcome: { ...cleaner.value(outcomeOf(read)), reasons: cleaner.reasons(endOf(state)?.reasons ?? []) },
    figures: exportedFigures(state),
    conditions:
      state.spec === undefined && state.seq === 0 ? [] : cleaner.judgements(judgementsNow(state), state.policy),
    iterations: fold.iterations,
    verdicts: fold.verdicts.all,
    marks: fold.marks.all,
    ...(state.pipeline === undefined ? {} : { items: itemsOf(state, fold, cleaner) }),
    ...(hasOutput ? { output: fold.output.all } : {}),
    omitted: { verdicts: fold.verdicts.omitted, marks: fold.marks.omitted, output: fold.output.omitted },
  };
}

/** What a report for people begins with. */
export interface ReportSummary extends RunSummary {
  /** What the run is called. */
  readonly name: string;
}

/** The same run in sentences, for a report that people read. */
export function summaryOf({ state, isLive, isDamaged }: ReadRun, cleaner: ExportCleaner): ReportSummary {
  const { phase, requests } = state;
  const bare = cleaner.isWithoutText
    ? { ...state, question: undefined, requests: { ...requests, pause: undefined } }
    : state;
  const cleaned: RunState['phase'] =
    phase.name === 'ended' ? { ...phase, end: { ...phase.end, reasons: cleaner.reasons(phase.end.reasons) } } : phase;
  const { outcome, sentence, notes } = summariseRun({ ...bare, phase: cleaned }, { isLive, isDamaged });
  const name = runName(state);
  return { outcome, ...cleaner.value({ name, sentence, notes: cleaner.isWithoutText ? [] : notes }) };
}

function itemsOf(state: RunState, fold: ExportFold, cleaner: ExportCleaner): readonly ExportedItem[] {
  const items = exportedItems(state, fold.messages);
  return items.map((item) => ({ ...cleaner.value(item), attempts: cleaner.attempts(item.attempts) }));
}

function runOf({ runId, workingDir, state }: ReadRun, cleaner: ExportCleaner): ExportedRun {
  const { kind, spec, policy, agent, pipeline, startedAt } = state;
  const ended = endOf(state);
  return {
    id: runId,
    kind,
    project: cleaner.value(spec?.worktree?.repository ?? workingDir),
    branch: spec?.worktree?.branch,
    agent: agent?.name,
    model: agent?.model,
    startedAt,
    endedAt: ended?.at,
    spec: spec === undefined ? undefined : cleaner.spec(spec),
    policy: cleaner.value(policy),
    pipeline: cleaner.value(pipeline?.spec),
  };
}

function outcomeOf({ runId, state, status, isLive, problem, isDamaged }: ReadRun): ExportedOutcome {
  const ended = endOf(state);
  const isOver = hasEnded(state);
  return {
    status,
    isLive,
    class: ended?.class,
    exitCode: isOver ? resultOf(runId, state, undefined).exitCode : undefined,
    reasons: [],
    error: ended?.error === undefined ? undefined : systemErrorWords(ended.error),
    problem: problem === undefined ? undefined : systemErrorWords(problem),
    isDamaged,
  };
}

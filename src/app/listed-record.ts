import { shownStatus } from '../model/outcome.js';
import type { ListedRun } from '../journal/list-runs.js';
import type { Environment } from '../journal/run-places.js';
import { endOf, hasEnded, isEnding, loopStateOf } from '../model/phase.js';
import { openQuestionText } from '../model/questions.js';
import type { RunState } from '../model/run-state.js';
import { systemErrorWords } from '../model/system-error-words.js';
import { pausedText, pendingText } from '../words/next-steps.js';
import { claimNotes, flagNotes } from '../stop/summary-notes.js';
import { PROCESS_GONE } from '../stop/run-summary.js';
import { waitsText } from '../words/where-text.js';
import { wholeCost } from '../words/spend-text.js';
import { fleetMarkOf } from './fleet-records.js';
import { workJson } from './status-json.js';
import { taskOf } from './task-of.js';
import { isEmptyRecord, NOTHING_RECORDED, readRecord } from './read-record.js';

/** What a list shows of a run. */
export interface ListedRecord {
  readonly run: ListedRun;
  readonly isLive: boolean;
  readonly state: RunState;
  readonly status: string;
  readonly problem?: string | undefined;
  readonly isDamaged: boolean;
}

/** From the snapshot; a run without one, or that died before it could write its last, is read from its journal. */
export async function readListed(run: ListedRun): Promise<ListedRecord> {
  const { snapshot: { state } = {}, holder } = run;
  const isWhole = state !== undefined && (holder !== undefined || hasEnded(state));
  const record = isWhole ? { state, isDamaged: false } : await readRecord(run);
  const isLive = holder !== undefined;
  return { run, isLive, ...record, status: shownStatus(record.state, isLive) };
}

/** Why it ended, or what it waits for; empty when there is nothing to say. */
export function whyListed(record: Omit<ListedRecord, 'run'>, nowMs: number): string {
  const { isLive, state, status, problem, isDamaged } = record;
  if (isDamaged || isEmptyRecord(state, isLive)) return systemErrorWords(problem ?? NOTHING_RECORDED);
  if (status === 'interrupted') {
    const asked = openQuestionText(state);
    const gone = asked === undefined ? PROCESS_GONE : `the agent asks you: ${asked}; ${PROCESS_GONE}`;
    return state.kind === 'agent' ? `${gone}; its program can resume it` : gone;
  }
  if (!hasEnded(state)) return heldUpText(state, nowMs);
  const broken = problem ?? endOf(state)?.error;
  const reason = broken === undefined ? (endOf(state)?.reasons[0]?.message ?? '') : systemErrorWords(broken);
  return [reason, ...claimNotes(state).map(asFragment), ...flagNotes(state).map(asFragment)]
    .filter((text) => text !== '')
    .join('; ');
}

/** A sentence as a part of another. */
function asFragment(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, '');
}

/** Why a live run does not continue; empty when it does. */
function heldUpText(state: RunState, nowMs: number): string {
  const paused = pausedText(state);
  if (paused !== undefined) return paused;
  if (isEnding(state)) return pendingText(state) ?? '';
  return loopStateOf(state) === 'waiting' ? (waitsText(state, nowMs) ?? '') : '';
}

/** For machines. */
export function listedJson({ run, state, status, problem }: ListedRecord, environment: Environment) {
  const fleet = fleetMarkOf(run, environment);
  const end = endOf(state);
  return {
    runId: run.runId,
    status,
    live: run.holder !== undefined,
    pid: fleet === undefined ? run.holder?.pid : fleet.pid,
    fleet,
    kind: state.kind,
    ...workJson(state),
    activeMs: state.activeMs,
    costUsd: wholeCost(state),
    startedAt: state.startedAt,
    at: state.at,
    class: end?.class,
    reasons: end?.reasons.map(({ message }) => message),
    error: end?.error,
    folder: run.folder,
    workingDir: run.workingDir,
    task: taskOf(run, state),
    worktree: state.spec?.worktree,
    problem,
  };
}

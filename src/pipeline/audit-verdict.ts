import { isRecord } from '../model/field-rules.js';
import type { CommandOutcome } from '../observation/run-command.js';

/** What an audit says of an output. */
export interface AuditVerdict {
  readonly outcome: 'approved' | 'rejected' | 'retry';
  readonly reasons: readonly string[];
  readonly score?: number | undefined;
  readonly message?: string | undefined;
}

const REJECTED_EXIT = 10;
const RETRY_EXIT = 1;
const MOST_REASONS = 20;
const LONGEST_REASON = 100;
const LONGEST_MESSAGE = 2000;

type Told = Pick<CommandOutcome, 'exitCode' | 'signal' | 'timedOut' | 'notStarted'>;

/**
 * Reads the verdict of an audit: exit 0 approves, 1 asks for another attempt, 10 rejects; a JSON verdict on the last line
 * of its output says more. One that contradicts itself, or cannot be read, or did not end, is broken and never approves.
 */
export function readVerdict(told: Told, lastLine: string): AuditVerdict {
  const { exitCode, signal, timedOut, notStarted } = told;
  if (timedOut) return { outcome: 'retry', reasons: ['AUDIT_TIMED_OUT'], message: 'the audit did not end in time' };
  if (notStarted !== undefined) return broken(notStarted);
  if (exitCode === undefined) return broken(`the audit was ended by ${signal ?? 'a signal'}`);
  const line = lastLine.trim();
  if (line.startsWith('{')) {
    const written = parsed(line);
    if (written === undefined) return broken('the verdict on the last line of the audit is not JSON');
    if (Object.hasOwn(written, 'verdict')) return writtenVerdict(written, exitCode);
  }
  return byExit(exitCode);
}

/** Whether a line of an audit is a verdict, whatever else it may be. */
export function isVerdictLine(line: string): boolean {
  const trimmed = line.trim();
  const written = trimmed.startsWith('{') ? parsed(trimmed) : undefined;
  return written !== undefined && Object.hasOwn(written, 'verdict');
}

function byExit(exitCode: number): AuditVerdict {
  if (exitCode === 0) return { outcome: 'approved', reasons: [] };
  if (exitCode === REJECTED_EXIT) return { outcome: 'rejected', reasons: [] };
  if (exitCode === RETRY_EXIT) return { outcome: 'retry', reasons: [] };
  return broken(`the audit exits with ${exitCode}, which is no verdict (0 approved, 1 retry, 10 rejected)`);
}

function writtenVerdict(written: Readonly<Record<string, unknown>>, exitCode: number): AuditVerdict {
  const { verdict, reasons, score, message } = written;
  if (verdict !== 'approved' && verdict !== 'rejected' && verdict !== 'retry') {
    return broken('the verdict of the audit is none of approved, rejected and retry');
  }
  if (verdict === 'approved' && exitCode !== 0) return broken(`the audit says approved and exits with ${exitCode}`);
  return {
    outcome: verdict,
    reasons: codesOf(reasons),
    ...(typeof score === 'number' && Number.isFinite(score) ? { score } : {}),
    ...(typeof message === 'string' && message !== '' ? { message: message.slice(0, LONGEST_MESSAGE) } : {}),
  };
}

function codesOf(reasons: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(reasons) ? reasons : [reasons];
  return list
    .filter((reason): reason is string => typeof reason === 'string' && reason !== '')
    .slice(0, MOST_REASONS)
    .map((reason) => reason.slice(0, LONGEST_REASON));
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function broken(message: string): AuditVerdict {
  return { outcome: 'retry', reasons: ['AUDIT_BROKEN'], message };
}

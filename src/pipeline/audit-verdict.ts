import { parseJson } from '../config/parse-json.js';
import { plainValue } from '../config/source-node.js';
import { isRecord, showValue } from '../model/field-rules.js';
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
 * Reads the verdict of an audit: exit 0 approves, 1 asks for another attempt, 10 rejects; a JSON verdict at the end of its
 * output says more. One that contradicts itself, or cannot be read, or did not end, is broken and never approves.
 */
export function readVerdict(told: Told, lastLines: readonly string[]): AuditVerdict {
  const { exitCode, signal, timedOut, notStarted } = told;
  if (timedOut) return { outcome: 'retry', reasons: ['AUDIT_TIMED_OUT'], message: 'the audit did not end in time' };
  if (notStarted !== undefined) return broken(notStarted);
  if (exitCode === undefined) return broken(`the audit was ended by ${signal ?? 'a signal'}`);
  const lines = lastLines.map((line) => line.trim()).filter((line) => line !== '');
  const written = lastObject(lines);
  if (written === 'unreadable') return broken('the output of the audit ends like JSON, but that cannot be read');
  if (written !== undefined && Object.hasOwn(written, 'verdict')) return writtenVerdict(written, exitCode);
  return byExit(exitCode);
}

/** Whether a line of an audit is a verdict, whatever else it may be. */
export function isVerdictLine(line: string): boolean {
  const trimmed = line.trim();
  const written = trimmed.startsWith('{') ? parsed(trimmed) : undefined;
  return written !== undefined && Object.hasOwn(written, 'verdict');
}

type Written = Readonly<Record<string, unknown>>;

/** The object that the lines end with, on one line or over several; undefined when they end with something else. */
function lastObject(lines: readonly string[]): Written | 'unreadable' | undefined {
  const last = lines.at(-1) ?? '';
  if (last.startsWith('{')) return parsed(last) ?? 'unreadable';
  // Closing brackets, or a member of an object.
  if (!/^[}\]"]|\}$/.test(last)) return undefined;
  let isOpen = /^[}\],]+$/.test(last) && last.includes('}');
  for (let at = lines.length - 2; at >= 0; at -= 1) {
    const line = lines[at] ?? '';
    if (!line.startsWith('{')) continue;
    const object = parsed(lines.slice(at).join('\n'));
    if (object !== undefined) return object;
    // One that is whole by itself, such as of a log, begins nothing.
    if (parsed(line) !== undefined) break;
    isOpen = true;
  }
  return isOpen ? 'unreadable' : undefined;
}

function byExit(exitCode: number): AuditVerdict {
  if (exitCode === 0) return { outcome: 'approved', reasons: [] };
  if (exitCode === REJECTED_EXIT) return { outcome: 'rejected', reasons: [] };
  if (exitCode === RETRY_EXIT) return { outcome: 'retry', reasons: [] };
  return broken(`the audit exits with ${exitCode}, which is no verdict (0 approved, 1 retry, 10 rejected)`);
}

function writtenVerdict(written: Written, exitCode: number): AuditVerdict {
  const { verdict, reasons, score, message } = written;
  if (verdict !== 'approved' && verdict !== 'rejected' && verdict !== 'retry') {
    return broken('the verdict of the audit is none of approved, rejected and retry');
  }
  if (verdict === 'approved' && exitCode !== 0) return broken(`the audit says approved and exits with ${exitCode}`);
  const isScore = typeof score === 'number' && Number.isFinite(score);
  const noScore = isScore || score === undefined || score === null ? '' : `its score is no number: ${showValue(score)}`;
  if (verdict === 'approved' && noScore !== '') return broken(`the audit says approved, but ${noScore}`);
  const said = [typeof message === 'string' ? message.slice(0, LONGEST_MESSAGE) : '', noScore]
    .filter(Boolean)
    .join('; ');
  return {
    outcome: verdict,
    reasons: codesOf(reasons),
    ...(isScore ? { score } : {}),
    ...(said === '' ? {} : { message: said }),
  };
}

function codesOf(reasons: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(reasons) ? reasons : [reasons];
  return list
    .filter((reason): reason is string => typeof reason === 'string' && reason !== '')
    .slice(0, MOST_REASONS)
    .map((reason) => reason.slice(0, LONGEST_REASON));
}

/** Strictly: a key that is there twice contradicts itself. */
function parsed(text: string): Written | undefined {
  const read = parseJson(text);
  const value = 'problems' in read || read.root === undefined ? undefined : plainValue(read.root);
  return isRecord(value) ? value : undefined;
}

function broken(message: string): AuditVerdict {
  return { outcome: 'retry', reasons: ['AUDIT_BROKEN'], message };
}

import { stripVTControlCharacters } from 'node:util';
import { readStrictJson } from '../config/strict-json.js';
import { isRecord, showValue } from '../model/show-value.js';
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

/** A key that is meant to begin a verdict: in quotes, first in an object, or before a word that does not approve. */
const VERDICT_KEY =
  /["']verdict["']\s*:|\{\s*verdict\s*:|(?:^|[{,])\s*verdict\s*[:=]\s*(?:["'](?!approved\b)|(?:rejected|retry)\b)/gi;
/** The same inside a JSON string. */
const QUOTED_KEY = /\\"verdict\\*"\s*:/i;
/** How much of an object that is not closed yet is kept. A single line may be longer. */
const MOST_CHARACTERS = 64 * 1024;
const DEEPEST = 100;

type Written = Readonly<Record<string, unknown>>;

/** Whether a line has something to say about the verdict, whatever else it may be. */
export function namesVerdict(line: string): boolean {
  return line.search(VERDICT_KEY) !== -1;
}

/**
 * Reads what an audit prints, line by line, and finds every JSON verdict in it, whatever is printed around it. The exit code
 * counts only without one: 0 approves, 1 asks for another attempt, 10 rejects. With several, the strictest counts. A verdict
 * that cannot be read or contradicts itself never approves.
 */
export class AuditReader {
  /** From the line of the outermost open brace on. */
  #text = '';
  /** Where in the text the open braces are. */
  #open: number[] = [];
  /** Where in the text a verdict is named that no object holds so far. */
  #unread: number[] = [];
  /** Verdicts in objects that are not closed yet. */
  #inside: { readonly at: number; readonly written: Written }[] = [];
  /** The last verdict of each word. */
  readonly #verdicts = new Map<unknown, Written>();
  #hasUnreadable = false;
  #hasQuoted = false;

  add(printed: string): void {
    const line = stripVTControlCharacters(printed).trim();
    if (line === '') return;
    this.#hasQuoted ||= QUOTED_KEY.test(line);
    if (this.#text.length > MOST_CHARACTERS) this.#reset();
    const start = this.#text.length;
    this.#text += `${line}\n`;
    for (const { index } of line.matchAll(VERDICT_KEY)) this.#unread.push(start + index);
    this.#scan(start);
    if (this.#open.length === 0) this.#reset();
  }

  /** What the audit says, once it has ended. On stderr only complete verdicts count: what else is there may be a log. */
  verdict({ exitCode, signal, timedOut, notStarted }: Told, stderr: AuditReader): AuditVerdict {
    if (timedOut) return { outcome: 'retry', reasons: ['AUDIT_TIMED_OUT'], message: 'the audit did not end in time' };
    if (notStarted !== undefined) return broken(notStarted);
    if (exitCode === undefined) return broken(`the audit was ended by ${signal ?? 'a signal'}`);
    const verdicts = [this, stderr].flatMap((reader) => reader.#found()).map((one) => writtenVerdict(one, exitCode));
    const rejected = verdicts.find(({ outcome }) => outcome === 'rejected');
    if (rejected !== undefined) return rejected;
    if (this.#hasUnreadable || (verdicts.length === 0 && this.#hasQuoted)) {
      return broken('the audit prints a verdict that cannot be read: print it as a JSON object');
    }
    return verdicts.find(({ outcome }) => outcome === 'retry') ?? verdicts[0] ?? byExit(exitCode);
  }

  /** Follows the braces from a place on. A JSON string does not go beyond its line. */
  #scan(start: number): void {
    let isString = false;
    for (let at = start; at < this.#text.length; at += 1) {
      const character = this.#text[at];
      if (isString && character === '\\') at += 1;
      else if (character === '"') isString = this.#open.length > 0 && !isString;
      else if (isString) continue;
      else if (character === '{') this.#open.push(at);
      else if (character === '}') this.#close(at + 1);
    }
  }

  #close(end: number): void {
    const at = this.#open.pop() ?? end - 1;
    if (this.#open.length >= DEEPEST) return;
    const text = this.#text.slice(at, end);
    const isOutside = (place: number) => place < at || place >= end;
    if (this.#unread.every(isOutside) && this.#inside.every((one) => isOutside(one.at))) return;
    const written = parsed(text);
    if (written === undefined) return;
    const isVerdict = Object.hasOwn(written, 'verdict');
    // The outer verdict counts; of an object without one, those inside that do not approve.
    this.#inside = this.#inside.filter((one) => isOutside(one.at) || (!isVerdict && isStrict(one.written)));
    if (!isVerdict) return;
    this.#inside.push({ at, written });
    this.#unread = this.#unread.filter(isOutside);
  }

  #reset(): void {
    this.#hasUnreadable ||= this.#unread.length > 0;
    for (const { written } of this.#inside) this.#verdicts.set(written['verdict'], written);
    this.#text = '';
    this.#open = [];
    this.#unread = [];
    this.#inside = [];
  }

  #found(): readonly Written[] {
    this.#reset();
    return [...this.#verdicts.values()];
  }
}

function isStrict({ verdict }: Written): boolean {
  return verdict === 'rejected' || verdict === 'retry';
}

function byExit(exitCode: number): AuditVerdict {
  if (exitCode === 0) return { outcome: 'approved', reasons: [] };
  if (exitCode === REJECTED_EXIT) return { outcome: 'rejected', reasons: [] };
  if (exitCode === RETRY_EXIT) return { outcome: 'retry', reasons: [] };
  return broken(`the audit exits with ${exitCode}, which is not a verdict (0 approved, 1 retry, 10 rejected)`);
}

function writtenVerdict(written: Written, exitCode: number): AuditVerdict {
  const { verdict, reasons, score, message } = written;
  if (verdict !== 'approved' && verdict !== 'rejected' && verdict !== 'retry') {
    return broken('the verdict of the audit is not approved, rejected or retry');
  }
  if (verdict === 'approved' && exitCode !== 0) return broken(`the audit says approved and exits with ${exitCode}`);
  const isScore = typeof score === 'number' && Number.isFinite(score);
  const noScore =
    isScore || score === undefined || score === null ? '' : `its score is not a number: ${showValue(score)}`;
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
  const read = readStrictJson(text);
  return 'value' in read && isRecord(read.value) ? read.value : undefined;
}

function broken(message: string): AuditVerdict {
  return { outcome: 'retry', reasons: ['AUDIT_BROKEN'], message };
}

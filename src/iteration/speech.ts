import { headOf, tailOf } from '../model/cut-text.js';
import { neededBy } from '../model/condition-catalog.js';
import { compilePattern, type Matcher } from '../model/pattern.js';
import { type Policy, policyLeaves } from '../model/policy.js';
import type { EventBodies } from '../model/run-event.js';

/** A message is recorded up to this length; of a longer one its beginning and its end. */
const MESSAGE_CHARACTERS = 64 * 1024;
const ERROR_CHARACTERS = 2000;
/** Lines of plain output are one message until this much has come, or this long nothing. */
const PLAIN_CHARACTERS = 16 * 1024;
const PLAIN_MS = 250;
/** A pattern may lie across two pieces of plain output. */
const OVERLAP_CHARACTERS = 4 * 1024;
/** Of what one iteration says in all, this much is recorded; patterns are looked for in everything. */
const RECORDED_BYTES = 16 * 1024 * 1024;
/** What a line of the journal takes beside the message. */
const ENVELOPE_BYTES = 120;
/** Beyond that, of a message in which something was found. */
const BEYOND_CHARACTERS = 2048;

type Said = EventBodies['agent-said'];

/** What an agent says in one iteration, as messages with the policy's patterns looked for in each. */
export class Speech {
  readonly #record: (said: Said) => void;
  /** Patterns that have not been found yet: one that was needs no second look in this iteration. */
  readonly #open: Map<string, Matcher>;
  #lines: string[] = [];
  #characters = 0;
  #before = '';
  #recordedBytes = 0;
  #omitted = 0;
  #last: string | undefined;
  #closing: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(policy: Policy, record: (said: Said) => void) {
    this.#record = record;
    this.#open = patternsOf(policy);
  }

  /** The last message, or the end of it. */
  get last(): string | undefined {
    return this.#last;
  }

  /** The end of the last message. Plain output is one message, however slowly it is printed. */
  get closing(): string | undefined {
    return this.#closing;
  }

  /** A whole message. */
  message(text: string): void {
    this.pause();
    this.#before = '';
    this.#closing = text;
    this.#say(text, this.#search(text));
  }

  /** A line of plain output, part of a message. */
  line(text: string): void {
    this.#lines.push(text);
    this.#characters += text.length + 1;
    if (this.#characters >= PLAIN_CHARACTERS) this.pause();
    else this.#timer ??= setTimeout(() => this.pause(), PLAIN_MS);
  }

  /** Whatever comes next is no plain output: the message under way is complete. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('\n');
    this.#lines = [];
    this.#characters = 0;
    const matches = this.#search(this.#before === '' ? text : `${this.#before}\n${text}`);
    this.#closing = tailOf(this.#before === '' ? text : `${this.#closing}\n${text}`, PLAIN_CHARACTERS);
    this.#before = text.slice(-OVERLAP_CHARACTERS);
    this.#say(text, matches);
  }

  /** Of what was too much to record, the end is. */
  end(): void {
    this.pause();
    const text = this.#last;
    if (this.#omitted === 0 || text === undefined) return;
    this.#record({ text, omitted: Math.max(0, this.#omitted - text.length) });
  }

  #search(text: string): Record<string, string> | undefined {
    const found: Record<string, string> = {};
    for (const [key, match] of this.#open) {
      const excerpt = match(text);
      if (excerpt === undefined) continue;
      found[key] = excerpt;
      this.#open.delete(key);
    }
    return Object.keys(found).length === 0 ? undefined : found;
  }

  #say(text: string, matches: Record<string, string> | undefined): void {
    this.#last = tailOf(text, MESSAGE_CHARACTERS);
    const hasRoom = this.#recordedBytes < RECORDED_BYTES;
    if (!hasRoom && matches === undefined) {
      this.#omitted += text.length;
      return;
    }
    const shown = shorten(text, hasRoom ? MESSAGE_CHARACTERS : BEYOND_CHARACTERS);
    // As it lies in the journal, where a control character takes six bytes.
    this.#recordedBytes += Buffer.byteLength(JSON.stringify(shown.text)) + ENVELOPE_BYTES;
    this.#record({ ...shown, ...(matches === undefined ? {} : { matches }) });
  }
}

function patternsOf(policy: Policy): Map<string, Matcher> {
  const needed = [...neededBy(policyLeaves(policy), 'output')];
  return new Map(needed.map(([key, pattern]) => [key, compilePattern(pattern)]));
}

/** An error message, as it is recorded. */
export function shortError(message: string): string {
  return shorten(message, ERROR_CHARACTERS).text;
}

/** The beginning and the end of a text that is too long to be recorded. */
export function shorten(text: string, most: number): { readonly text: string; readonly omitted?: number } {
  if (text.length <= most) return { text };
  const half = Math.floor(most / 2);
  const [head, tail] = [headOf(text, half), tailOf(text, half)];
  const omitted = text.length - head.length - tail.length;
  return { text: `${head}\n[… ${omitted} characters …]\n${tail}`, omitted };
}

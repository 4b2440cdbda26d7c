import { headOf, tailOf } from '../model/figures.js';
import { neededBy } from '../model/condition-catalog.js';
import { compilePattern, type Matcher } from '../model/pattern.js';
import { type Policy, policyLeaves } from '../model/policy.js';
import type { EventBodies } from '../model/run-event.js';
import { STATUS_LINE_PROMPT } from '../observation/message/status-line.js';

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
/** What a line of the journal takes next to the message. */
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

/**
 * Tells an echo of the prompt from what an agent says. Some print their prompt before they begin: a completion marker
 * that is quoted in it is not the agent's. Only a whole text, line by line, is an echo; lines are held back until
 * that is decided.
 */
export interface PromptEcho {
  /** The lines that are the agent's own, as far as they are known now. */
  filter(line: string): readonly string[];
  /** Nothing more comes: what was held back was no echo. */
  end(): readonly string[];
}

/** An echo of the whole prompt, of the user's own part of it, or of the request for a status line, however it is indented. */
export function createPromptEcho(prompt: string, ownPrompt = prompt): PromptEcho {
  const whole = echoOf(prompt);
  const own = ownPrompt === prompt ? NO_ECHO : echoOf(ownPrompt);
  const kept = (lines: readonly string[]) => lines.filter((line) => !isStatusLineRequest(line));
  return {
    filter(line) {
      // An agent may print millions of lines, and hardly any begins an echo.
      if (whole.isFree(line) && own.isFree(line) && !isStatusLineRequest(line)) return [line];
      return kept(whole.filter(line).flatMap((released) => own.filter(released)));
    },
    end: () => kept([...whole.end().flatMap((released) => own.filter(released)), ...own.end()]),
  };
}

interface Echo extends PromptEcho {
  /** Nothing is held back, and the line cannot begin an echo. */
  isFree(line: string): boolean;
}

const NO_ECHO: Echo = { isFree: () => true, filter: (line) => [line], end: () => [] };
/** It names the words that a policy may look for. */
const REQUEST_LINES = STATUS_LINE_PROMPT.split('\n').filter((line) => line.includes('PAWL'));

function isStatusLineRequest(line: string): boolean {
  return line.includes('PAWL') && REQUEST_LINES.some((request) => line.includes(request));
}

function echoOf(prompt: string): Echo {
  const wanted = prompt.trim().split('\n').map(trimmed);
  const shorter = shorterMatches(wanted);
  let held: string[] = [];
  return {
    isFree: (line) => held.length === 0 && trimmed(line) !== wanted[0],
    filter(line) {
      const matched = extended(wanted, shorter, held.length, trimmed(line));
      held.push(line);
      const released = held.splice(0, held.length - matched);
      if (matched === wanted.length) held = [];
      return released;
    },
    end() {
      const released = held;
      held = [];
      return released;
    },
  };
}

/**
 * For each beginning of the lines, the length of the longest shorter beginning that it ends with, and none for the empty
 * one: an echo may begin within what looked like one (Knuth, Morris and Pratt).
 */
function shorterMatches(lines: readonly string[]): readonly (number | undefined)[] {
  const lengths: (number | undefined)[] = [undefined];
  for (const line of lines) lengths.push(extended(lines, lengths, lengths.at(-1), line));
  return lengths;
}

/** How many of the lines match when one more has come after `length` that did. */
function extended(
  lines: readonly string[],
  shorter: readonly (number | undefined)[],
  length: number | undefined,
  line: string,
): number {
  let matched = length;
  while (matched !== undefined && lines[matched] !== line) matched = shorter[matched];
  return matched === undefined ? 0 : matched + 1;
}

function trimmed(line: string): string {
  return line.trim();
}

const HEAD_CHARACTERS = 2000;
const TAIL_CHARACTERS = 4000;
const TAIL_LINES = 256;

/** The beginning and the end of a stream of lines, in little memory and with little work per line. */
export class Excerpt {
  readonly #last: string[] = [];
  #count = 0;
  #head = '';
  #bytes = 0;

  add(line: string, bytes: number): void {
    this.#bytes += bytes + 1;
    if (this.#head.length < HEAD_CHARACTERS) this.#head += `${headOf(line, HEAD_CHARACTERS)}\n`;
    this.#last[this.#count++ % TAIL_LINES] = line;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get head(): string | undefined {
    return this.#bytes === 0 ? undefined : headOf(this.#head, HEAD_CHARACTERS);
  }

  /** Undefined when the head holds everything. */
  get tail(): string | undefined {
    if (this.#bytes <= HEAD_CHARACTERS) return undefined;
    const oldest = this.#count % TAIL_LINES;
    const inOrder = [...this.#last.slice(oldest), ...this.#last.slice(0, oldest)];
    return tailOf(inOrder.join('\n'), TAIL_CHARACTERS);
  }
}

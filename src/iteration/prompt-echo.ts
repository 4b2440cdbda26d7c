import { STATUS_LINE_PROMPT } from '../observation/message/status-line.js';

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
    filter: (line) => kept(whole.filter(line).flatMap((released) => own.filter(released))),
    end: () => kept([...whole.end().flatMap((released) => own.filter(released)), ...own.end()]),
  };
}

const NO_ECHO: PromptEcho = { filter: (line) => [line], end: () => [] };
/** It names the words that a policy may look for. */
const REQUEST_LINES = STATUS_LINE_PROMPT.split('\n').filter((line) => line.includes('PAWL'));

function isStatusLineRequest(line: string): boolean {
  return REQUEST_LINES.some((request) => line.includes(request));
}

function echoOf(prompt: string): PromptEcho {
  const wanted = prompt.trim().split('\n').map(trimmed);
  const shorter = shorterMatches(wanted);
  let held: string[] = [];
  return {
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

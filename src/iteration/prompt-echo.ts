/**
 * Tells an echo of the prompt from what an agent says. Some print their prompt before they begin: a completion marker
 * that is quoted in it is not the agent's. Only the whole prompt, line by line, is an echo; lines are held back until
 * that is decided.
 */
export interface PromptEcho {
  /** The lines that are the agent's own, as far as they are known now. */
  filter(line: string): readonly string[];
  /** Nothing more comes: what was held back was no echo. */
  end(): readonly string[];
}

export function createPromptEcho(prompt: string): PromptEcho {
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

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
      let matched = held.length;
      while (matched > 0 && wanted[matched] !== trimmed(line)) matched = shorter[matched - 1] ?? 0;
      if (wanted[matched] === trimmed(line)) matched++;
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
 * For each beginning of the lines, the length of the longest shorter beginning that it ends with: an echo may begin
 * within what looked like one (Knuth, Morris and Pratt).
 */
function shorterMatches(lines: readonly string[]): readonly number[] {
  const lengths = [0];
  let length = 0;
  for (const line of lines.slice(1)) {
    while (length > 0 && lines[length] !== line) length = lengths[length - 1] ?? 0;
    if (lines[length] === line) length++;
    lengths.push(length);
  }
  return lengths;
}

function trimmed(line: string): string {
  return line.trim();
}

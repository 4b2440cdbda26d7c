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
  let held: string[] = [];
  return {
    filter(line) {
      if (trimmed(line) === wanted[held.length]) {
        held.push(line);
        if (held.length === wanted.length) held = [];
        return [];
      }
      const released = [...held, line];
      held = [];
      // It may be the beginning of an echo all the same.
      if (released.length === 1 || trimmed(line) !== wanted[0]) return released;
      held = [line];
      return released.slice(0, -1);
    },
    end() {
      const released = held;
      held = [];
      return released;
    },
  };
}

function trimmed(line: string): string {
  return line.trim();
}

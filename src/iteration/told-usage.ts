import { parseCommand } from '../agents/command.js';
import { jsonObject } from '../agents/agent-events.js';
import { createNarration, type NarratingRun } from './narrate.js';

/** What a command that is no agent tells of its spend, by the messages of docs/guide/agents.md. */
export interface ToldUsage {
  /** Records the spend that a line tells of, with its price; false for a line that is about something else. */
  read(line: string): boolean;
  /** A report came without usable figures: something was spent, and nobody knows how much. */
  readonly isUnknown: boolean;
}

export function createToldUsage(run: NarratingRun): ToldUsage {
  const { spec } = run;
  // A report that names no model is not of the agent's: it has the cost that it tells.
  const own = { ...spec, agent: { ...spec.agent, model: undefined } };
  const narration = createNarration({ ...run, spec: own }, { prompt: '' });
  let isUnknown = false;
  return {
    read(line) {
      if (jsonObject(line)?.['pawl'] !== 'usage') return false;
      const usage = parseCommand(line).find(({ kind }) => kind === 'usage');
      if (usage === undefined) isUnknown = true;
      else narration.tell(usage);
      return true;
    },
    get isUnknown() {
      return isUnknown;
    },
  };
}

import type { Call, Project, Refusal, Scenario, Step, Wants } from './scenario.js';

const USUAL_USD = 0.02;

export const MARKER = '<promise>COMPLETE</promise>';

export const say = (text: string, usd = USUAL_USD): Step => ({ do: 'say', text, usd });
export const write = (path: string, text: string, usd = USUAL_USD): Step => ({ do: 'write', path, text, usd });
export const remove = (path: string): Step => ({ do: 'remove', path, usd: USUAL_USD });
export const tool = (name: string, output: string, usd = USUAL_USD): Step => ({ do: 'tool', name, output, usd });
/** A command in the shell, as an agent runs one. */
export const shell = (command: string, output: string, isError = false): Step => ({
  do: 'tool',
  name: 'Bash',
  input: { command },
  output,
  isError,
  usd: USUAL_USD,
});
export const deny = (name = 'Bash'): Step => ({ do: 'deny', tool: name, usd: USUAL_USD });
export const wait = (ms: number): Step => ({ do: 'wait', ms });
export const chatter = (ms: number): Step => ({ do: 'chatter', ms });
export const slowTool = (ms: number): Step => ({ do: 'slow-tool', ms, usd: USUAL_USD });
export function crash(message: string, exitCode = 1, untoldUsd = 0): Step {
  return { do: 'crash', exitCode, message, untoldUsd };
}
export const mark: Step = { do: 'mark' };
export const finish: Step = { do: 'finish' };
export const goDeaf: Step = { do: 'go-deaf' };
export const leaveChild = (ms: number, isDeaf = false): Step => ({ do: 'leave-child', ms, isDeaf });

export function refuse(why: Refusal, resetsInMs?: number): Step {
  return resetsInMs === undefined ? { do: 'refuse', why } : { do: 'refuse', why, resetsInMs };
}

/** The work: exactly these features are there afterwards. */
export function build(features: readonly string[], usd = USUAL_USD): Step {
  return write('src/features.txt', features.map((feature) => `${feature}\n`).join(''), usd);
}

/** It says that it is done, in the agreed words. */
export const claim = (usd = USUAL_USD): Step => say(`Everything is implemented and works.\n\n${MARKER}`, usd);

/** Requests one after the other with a pause after each, as between the tools of a busy agent. */
export function requests(count: number, usd: number, everyMs = 250): Call {
  return Array.from({ length: count }, (_, index) => [say(`Step ${index + 1}.`, usd), wait(everyMs)]).flat();
}

/** The first names of a list, for a project that grows feature by feature. */
export const NAMES = [
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
export const first = (count: number): readonly string[] => NAMES.slice(0, count);

export const project = (tests: number, features = 0, more: Partial<Project> = {}): Project => ({
  features: first(features),
  tests: first(tests),
  ...more,
});

export const NO_TESTS: Project = { features: [], tests: [] };

export const byTests = (more: Partial<Wants> = {}): Wants => ({
  goal: 'tests',
  maxIterations: 12,
  budgetUsd: 5,
  ...more,
});
export const byFile = (more: Partial<Wants> = {}): Wants => ({ ...byTests(more), goal: 'done-file' });
export const byMarker = (more: Partial<Wants> = {}): Wants => ({ ...byTests(more), goal: 'marker' });

/** What an agent says that has nothing left to do. */
export const IDLE: Call = [say('There is nothing left to do.')];

export const claimAgain: Call = [claim()];

export type Family = readonly Scenario[];

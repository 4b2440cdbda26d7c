import { shortDigest } from './json.js';
import { failingTests, type TestResults } from './test-results.js';

/** What the agent has done with its tools since the run began. */
export interface ToolUse {
  readonly calls: number;
  /** Calls that were made before, to the letter. */
  readonly repeats: number;
  readonly failures: number;
  readonly failuresInARow: number;
  /** Calls that write files: by a tool for that, or by a command. */
  readonly edits: number;
  /** Calls since the last of these, or since the beginning. */
  readonly callsSinceEdit: number;
  /** Failing tests of the last results; undefined before there are any. */
  readonly failingTests?: number | undefined;
  /** The fewest of all results, and how many results have come since. */
  readonly fewestFailing?: number | undefined;
  readonly resultsSinceFewest: number;
  /** Digests of the newest calls. */
  readonly recent: readonly string[];
}

export const NO_TOOL_USE: ToolUse = Object.freeze({
  calls: 0,
  repeats: 0,
  failures: 0,
  failuresInARow: 0,
  edits: 0,
  callsSinceEdit: 0,
  resultsSinceFewest: 0,
  recent: [],
});

/** A repetition of an older call is taken for a new one. */
const REMEMBERED_CALLS = 200;

interface Call {
  readonly name: string;
  readonly input?: string | undefined;
}

export function afterCall(use: ToolUse, { name, input = '' }: Call): ToolUse {
  const digest = shortDigest(`${name} ${input.replace(/\s+/g, ' ')}`);
  const isEdit = writesFiles(name, input);
  return {
    ...use,
    calls: use.calls + 1,
    repeats: use.repeats + (use.recent.includes(digest) ? 1 : 0),
    edits: use.edits + (isEdit ? 1 : 0),
    callsSinceEdit: isEdit ? 0 : use.callsSinceEdit + 1,
    recent: [...use.recent.slice(1 - REMEMBERED_CALLS), digest],
  };
}

interface ToolAnswer {
  readonly failed?: boolean | undefined;
  readonly denied?: boolean | undefined;
}

/** A denial is no answer of the tool. */
export function afterAnswer(use: ToolUse, { failed, denied }: ToolAnswer): ToolUse {
  if (denied === true) return use;
  if (failed !== true) return use.failuresInARow === 0 ? use : { ...use, failuresInARow: 0 };
  return { ...use, failures: use.failures + 1, failuresInARow: use.failuresInARow + 1 };
}

export function afterTests(use: ToolUse, tests: TestResults | undefined): ToolUse {
  const failing = tests === undefined ? undefined : failingTests(tests);
  if (failing === undefined) return use;
  const isBest = failing === 0 || use.fewestFailing === undefined || failing < use.fewestFailing;
  return {
    ...use,
    failingTests: failing,
    fewestFailing: Math.min(failing, use.fewestFailing ?? failing),
    resultsSinceFewest: isBest ? 0 : use.resultsSinceFewest + 1,
  };
}

/** `TodoWrite` writes a list of the agent's own. */
const WRITING_TOOL = /^(?!todo).*(?:write|edit|patch|replace|create_file|insert)/i;
/** What begins a command that changes files. `> /dev/null` and `2>&1` write nothing. */
const WRITING_COMMAND =
  /\b(?:sed\s+(?:-\w+\s+)*(?:-i|--in-place)|perl\s+-\w*i|tee\s|apply_patch|patch\s+-|git\s+(?:apply|am|cherry-pick|revert)\b|mv\s|cp\s)|(?:^|[^-=&\d>])>{1,2}\s*(?!\/dev\/|&)[\w.~/$'"\\]|\.write(?:_text|lines)?\(/;

function writesFiles(name: string, input: string): boolean {
  return WRITING_TOOL.test(name) || (/"(?:command|cmd|code)"\s*:/.test(input) && WRITING_COMMAND.test(input));
}

import { z } from 'zod';
import { AGENTS } from '../../agents/index.js';
import type { RunSpec } from '../../model/run-spec.js';
import { ConfigError } from '../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { beginInBackground, type InBackground } from '../../app/begin-in-background.js';
import { startRun } from '../../app/start-run.js';
import { keptTerminal } from './kept-terminal.js';
import { defineTool, type McpSetting, type Registration, type ToolAnswer } from './tool.js';
import type { TextContext } from '../text/text-context.js';
import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { knownProjects, type Environment } from '../../journal/run-places.js';
import { quote } from '../../model/figures.js';

/** A longer one belongs into a file: it is an argument of a process. */
const MOST_PROMPT_CHARACTERS = 32_000;
const MOST_TEXT_CHARACTERS = 4096;

const text = (about: string) => z.string().min(1).max(MOST_TEXT_CHARACTERS).optional().describe(about);

const START = z.strictObject({
  prompt: z
    .string()
    .min(1)
    .max(MOST_PROMPT_CHARACTERS)
    .optional()
    .describe('The prompt of every iteration (default: what the config says, or PROMPT.md)'),
  config: text('Config file in the folder of the server, or of a project that has had runs (default: its pawl.yaml)'),
  agent: z
    .enum(AGENTS.map(({ name }) => name))
    .optional()
    .describe('The agent to use (default: what the config says, or the first installed one)'),
  model: text('The model, as the agent names it'),
  max_iterations: z.int().min(1).max(100_000).optional().describe('Stop after this many iterations'),
  max_cost: z.number().gt(0).max(1_000_000).optional().describe('Stop when this many US dollars are spent'),
  max_duration: text('Stop after this much active time, such as 30m or 1h 30m'),
  worktree: z.boolean().optional().describe('Work in a new git worktree, on a new branch'),
});

type Wish = z.output<typeof START>;

/** The tool that starts a run in the background: no more than `pawl run` may do, and never without a bound. */
export function startTool({ cwd, cookie, allowStart }: McpSetting, context: TextContext): Registration {
  return defineTool({
    name: 'start_run',
    title: 'Start a run',
    description:
      'Starts an agent in a loop in the background and returns the id of the run. max_iterations or max_cost is required; limits of the config also apply. Goals, tests and commands come from the config of the folder, which a person must have confirmed.',
    input: START,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async call(wish) {
      if (cookie !== undefined && !allowStart) {
        throw refused('this is the agent of a run, and a loop does not start loops; pawl mcp --allow-start allows it');
      }
      if (wish.max_iterations === undefined && wish.max_cost === undefined) {
        throw refused('a run that is started here needs a limit: give max_iterations or max_cost');
      }
      if (wish.config !== undefined) checkConfigPlace(cwd, wish.config, context.environment);
      return start(cwd, wish, context);
    },
  });
}

async function start(cwd: string, wish: Wish, context: TextContext): Promise<ToolAnswer> {
  const terminal = keptTerminal();
  const flags = flagsOf(wish);
  const words = ['run', ...flags.flatMap(([flag, value]) => wordsOf(flag, value)), '--cwd', cwd];
  const { config: configPath } = wish;
  let result: InBackground | undefined;
  const begin = async ({ id: runId }: { readonly id: string }, { workingDir, records }: RunSpec): Promise<ExitCode> => {
    result = await beginInBackground({ runId, workingDir, records, lastSeq: 0, words }, context);
    return result.kind === 'begun' ? EXIT_CODES.goal : result.exitCode;
  };
  const wanted = { flags: configFlags(flags), configPath, worktree: wish.worktree || undefined, cwd };
  await startRun({ ...wanted, columns: terminal.columns }, { begin }, { ...context, terminal });
  const { notes } = terminal;
  if (result?.kind !== 'begun') throw refused([...notes, result?.why ?? 'it was not started'].join('\n'));
  const { runId, pid, log } = result;
  const lines = [`${runId} runs in the background, process ${pid}; run_status says where it is.`, ...notes];
  return { text: lines.join('\n'), data: { runId, pid, log, warnings: notes } };
}

type Flags = readonly (readonly [flag: string, value: string | true])[];

/** Limits are added to those of the config: a call can be stricter than a person, not more generous. */
function flagsOf({ prompt, config, agent, model, max_iterations, max_cost, max_duration, worktree }: Wish): Flags {
  const given: readonly (readonly [string, string | true | undefined])[] = [
    ['prompt', prompt],
    ['config', config],
    ['agent', agent],
    ['model', model],
    ['limit', max_iterations === undefined ? undefined : `max_iterations: ${max_iterations}`],
    ['limit', max_cost === undefined ? undefined : `max_cost: ${max_cost}`],
    ['limit', max_duration === undefined ? undefined : `max_duration: ${max_duration}`],
    ['worktree', worktree === true ? true : undefined],
  ];
  return given.flatMap(([flag, value]) => (value === undefined ? [] : [[flag, value] as const]));
}

/** With `=`, so that a value that begins with a dash is a value. */
function wordsOf(flag: string, value: string | true): readonly string[] {
  return value === true ? [`--${flag}`] : [`--${flag}=${value}`];
}

/** What changes the config: each may be given more than once. */
function configFlags(flags: Flags): Readonly<Record<string, readonly string[]>> {
  const given: Record<string, readonly string[]> = {};
  for (const [flag, value] of flags)
    if (typeof value === 'string' && flag !== 'config') given[flag] = [...(given[flag] ?? []), value];
  return given;
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}

/**
 * A config that a client names lies where the server's user works: what is wrong with a file is told with its words, and
 * any other file is none of the client's business. Throws ConfigError.
 */
function checkConfigPlace(cwd: string, config: string, environment: Environment): void {
  const path = realPathOf(resolve(cwd, config));
  const allowed = [cwd, ...knownProjects(environment)].map(realPathOf);
  if (allowed.some((folder) => isBelow(folder, path))) return;
  const message = `config ${quote(config, 200)} is neither in the folder of the server nor in one that has had runs`;
  throw new ConfigError([{ path: '', message }]);
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

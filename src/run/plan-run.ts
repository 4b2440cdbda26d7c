import { loadPrompt, renderPrompt } from '../iteration/prompt.js';
import { PromptLoadFailed } from '../model/errors.js';
import type { RunSpec } from '../model/run-spec.js';
import { INITIAL_STATE } from '../model/run-state.js';
import { budgetLeft } from './attempt.js';
import { promptValues } from './next-session.js';
import { findProgram } from '../process/run-tool.js';
import { CLAIM_KEY_VARIABLE, COOKIE_VARIABLE } from '../process/process-table.js';
import type { AgentTask } from '../iteration/agent.js';
import { invocationFor, knownAdapter } from '../iteration/cli-agent.js';

/** What a run would do first. */
export interface RunPlan {
  readonly invocation: PlannedInvocation;
  /** Of the prompt, without what the first look at the tests adds; undefined when a hook has yet to write it. */
  readonly promptCharacters?: number | undefined;
}

/** How the first iteration would call its agent. Reads the prompt, starts nothing and writes nothing. */
export async function planRun(
  spec: RunSpec,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<RunPlan> {
  const before = { ...INITIAL_STATE, policy: spec.policy };
  const template = await templateOf(spec);
  const { prompt } = renderPrompt(template ?? '', promptValues(before, 1), spec);
  const task = { prompt, budgetUsd: budgetLeft(before), cookie: 'RUN.1.1', claimKey: 'KEY' };
  const invocation = planInvocation(spec, environment, task);
  return { invocation, ...(template === undefined ? {} : { promptCharacters: prompt.length }) };
}

async function templateOf(spec: RunSpec): Promise<string | undefined> {
  try {
    return loadPrompt(spec);
  } catch (error) {
    if (error instanceof PromptLoadFailed && spec.hooks.before_iteration !== undefined) return undefined;
    throw error;
  }
}

/** How an agent would be called. */
interface PlannedInvocation {
  /** The program, as it is named and as it is found. */
  readonly command: string;
  readonly file: string | undefined;
  readonly args: readonly string[];
  /** Variables that it gets and the runner does not have, or has otherwise. */
  readonly added: Readonly<Record<string, string>>;
  /** Variables of the runner that it does not get. */
  readonly removed: readonly string[];
  /** What goes to its standard input. */
  readonly input: string;
}

/** By the same functions as an iteration would; nothing is started. Throws ConfigError when there is no such agent. */
function planInvocation(
  { agent, workingDir }: Pick<RunSpec, 'agent' | 'workingDir'>,
  environment: Readonly<Record<string, string | undefined>>,
  task: Pick<AgentTask, 'prompt' | 'budgetUsd' | 'cookie' | 'claimKey'>,
): PlannedInvocation {
  const adapter = knownAdapter(agent);
  const { command, args, env, input } = invocationFor({ adapter, agent, workingDir, environment }, task);
  const given: Readonly<Record<string, string | undefined>> = {
    ...env,
    [COOKIE_VARIABLE]: task.cookie,
    [CLAIM_KEY_VARIABLE]: task.claimKey,
  };
  return {
    command,
    file: findProgram(command, workingDir, env['PATH']),
    args,
    added: Object.fromEntries(
      Object.entries(given).filter(
        (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== environment[entry[0]],
      ),
    ),
    removed: Object.keys(environment).filter((name) => environment[name] !== undefined && given[name] === undefined),
    input,
  };
}

import type { RunSpec } from '../model/run-spec.js';
import { findProgram } from '../process/find-program.js';
import { CLAIM_KEY_VARIABLE, COOKIE_VARIABLE } from '../process/process-table.js';
import type { AgentTask } from './agent.js';
import { invocationFor } from './cli-agent.js';
import { knownAdapter } from './create-agent.js';

/** How an agent would be called. */
export interface PlannedInvocation {
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
export function planInvocation(
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

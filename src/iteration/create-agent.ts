import type { AgentAdapter, AgentEnvironment } from '../agents/adapter.js';
import { AGENT_NAMES, findAdapter } from '../agents/find-adapter.js';
import { ConfigError } from '../model/errors.js';
import type { RunSpec } from '../model/run-spec.js';
import { findProgram, whyNotRunnable } from '../process/find-program.js';
import type { Agent } from './agent.js';
import { createCliAgent } from './cli-agent.js';

/** The agent that a spec names. Throws ConfigError when there is no such agent, or its program cannot be run. */
export function createAgent({ agent, workingDir }: RunSpec, environment: AgentEnvironment): Agent {
  const adapter = findAdapter(agent.name);
  if (adapter === undefined) {
    throw problem('agent.name', `there is no agent ${JSON.stringify(agent.name)}; known are ${AGENT_NAMES.join(', ')}`);
  }
  if (adapter.name === 'command' && (agent.command ?? []).length === 0) {
    throw problem('agent.command', 'which command? Give it after --, or as agent.command');
  }
  checkProgram(adapter, { agent, workingDir }, environment);
  return createCliAgent({ adapter, agent, workingDir, environment });
}

function checkProgram(
  adapter: AgentAdapter,
  { agent, workingDir }: Pick<RunSpec, 'agent' | 'workingDir'>,
  environment: AgentEnvironment,
): void {
  const { command, env } = adapter.invocation(agent, { prompt: '', workingDir, environment });
  if (findProgram(command, workingDir, env['PATH']) !== undefined) return;
  const isFile = command.includes('/');
  const why = isFile ? `: ${whyNotRunnable(command, workingDir)}` : '';
  const hint = agent.command === undefined ? `: is ${agent.name} installed?` : why;
  throw problem('agent.command', `${command} is not a program that can be run${hint}`);
}

function problem(path: string, message: string): ConfigError {
  return new ConfigError([{ path, message }]);
}

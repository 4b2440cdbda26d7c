import type { AgentSpec } from '../model/run-spec.js';
import type { AgentAdapter, AgentRequest, Invocation } from './adapter.js';
import { parseCommand } from './parse-command.js';

/** Any program: it gets the prompt and may report by the protocol of docs/guide/agents.md. */
export const commandAgent: AgentAdapter = {
  name: 'command',
  usage: 'live',
  context: 'reported',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 2000,
  tellsResult: false,
  invocation,
  parse: parseCommand,
};

function invocation(agent: AgentSpec, { environment, prompt, session }: AgentRequest): Invocation {
  const [command = '', ...words] = agent.command ?? [];
  return {
    command,
    args: [...words, ...agent.args],
    // What an outer run left under these names is not meant for this one.
    env: { ...environment, ...agent.env, PAWL_SESSION: session, PAWL_MODEL: agent.model },
    input: prompt,
  };
}

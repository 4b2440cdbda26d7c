import type { AgentSpec } from '../model/run-spec.js';
import type { AgentAdapter, AgentRequest, Invocation } from './adapter.js';
import { createCopilotReader, parseCopilot, parseCopilotError } from './parse-copilot.js';

/** GitHub Copilot CLI without a screen. It tells no tokens on its stream. */
export const copilotAgent: AgentAdapter = {
  name: 'copilot',
  usage: 'none',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 3000,
  tellsResult: true,
  invocation,
  parse: parseCopilot,
  reader: createCopilotReader,
  parseError: parseCopilotError,
};

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  const [command = 'copilot', ...words] = agent.command ?? [];
  const args = [
    ...words,
    '--output-format',
    'json',
    '--no-auto-update',
    '--no-ask-user',
    ...permissionArgs(agent),
    ...(agent.model === undefined ? [] : ['--model', agent.model]),
    ...(request.session === undefined ? [] : [`--resume=${request.session}`]),
    ...agent.args,
  ];
  return { command, args, env: { ...request.environment, ...agent.env }, input: request.prompt };
}

function permissionArgs({ permissions, allow }: AgentSpec): readonly string[] {
  switch (permissions) {
    case 'edit':
      return ['--allow-tool=write', ...allow.map((entry) => `--allow-tool=${toolRule(entry)}`)];
    case 'bypass':
      return ['--allow-all'];
    case 'agent':
      return [];
    default:
      return permissions satisfies never;
  }
}

function toolRule(entry: string): string {
  return /^[\w-]+\(.*\)$/.test(entry) ? entry : `shell(${entry}:*)`;
}

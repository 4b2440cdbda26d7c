import type { AgentSpec } from '../model/run-spec.js';
import type { AgentAdapter, AgentRequest, Invocation } from './adapter.js';
import { copilotRecord } from './copilot-record.js';
import { createCopilotReader, parseCopilot, parseCopilotError } from './parse-copilot.js';

/** GitHub Copilot CLI without a screen. */
export const copilotAgent: AgentAdapter = {
  name: 'copilot',
  usage: 'live',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 3000,
  tellsResult: true,
  invocation,
  parse: parseCopilot,
  reader: createCopilotReader,
  parseError: parseCopilotError,
  sidecar: copilotRecord,
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
    ...sessionArgs(agent, request),
    ...agent.args,
  ];
  const session = hasOwnSession(agent) ? undefined : (request.session ?? request.newSession);
  return { command, args, env: { ...request.environment, ...agent.env }, input: request.prompt, session };
}

/** It names its session only at its end, and its tokens are in the record of that session: so the session is chosen here. */
function sessionArgs(agent: AgentSpec, { session, newSession }: AgentRequest): readonly string[] {
  if (session !== undefined) return [`--resume=${session}`];
  return newSession === undefined || hasOwnSession(agent) ? [] : [`--session-id=${newSession}`];
}

/** The user's own words choose a session. */
function hasOwnSession({ args }: AgentSpec): boolean {
  return args.some((word) => /^(?:--session-id|--resume|--continue|--connect|-r)(?:=|$)/.test(word));
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

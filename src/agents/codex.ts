import type { AgentSpec } from '../model/run-spec.js';
import type { AgentAdapter, AgentRequest, Invocation } from './adapter.js';
import { codexBilling } from './codex-billing.js';
import { codexRollout } from './codex-rollout.js';
import { parseCodex, parseCodexError } from './parse-codex.js';

/** Codex without a screen. */
export const codexAgent: AgentAdapter = {
  name: 'codex',
  usage: 'live',
  context: 'reported',
  canResume: true,
  // At SIGINT it ends its commands, at SIGTERM it leaves them behind.
  signals: ['SIGINT', 'SIGTERM'],
  graceMs: 2000,
  tellsResult: true,
  invocation,
  parse: (line) => parseCodex(line),
  reader: ({ now }) => ({ read: (line) => parseCodex(line, now()), end: () => [] }),
  parseError: parseCodexError,
  sidecar: codexRollout,
  billing: codexBilling,
};

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  const [command = 'codex', ...words] = agent.command ?? [];
  const { session } = request;
  const args = [
    ...words,
    'exec',
    ...(session === undefined ? [] : ['resume']),
    '--json',
    '--skip-git-repo-check',
    ...permissionArgs(agent),
    ...pluginArgs(agent),
    ...(agent.model === undefined ? [] : ['-m', agent.model]),
    ...agent.args,
    ...(session === undefined ? [] : [session]),
    '-',
  ];
  return { command, args, env: { ...request.environment, ...agent.env }, input: request.prompt };
}

/** By settings, since `exec resume` has no option for the sandbox. `allow` has no meaning here: the sandbox decides. */
function permissionArgs({ permissions }: AgentSpec): readonly string[] {
  switch (permissions) {
    case 'edit':
      return ['-c', 'sandbox_mode="workspace-write"', '-c', 'approval_policy="never"'];
    case 'bypass':
      return ['--dangerously-bypass-approvals-and-sandbox'];
    case 'agent':
      return [];
    default:
      return permissions satisfies never;
  }
}

/** With plugins it looks for new ones after each turn: five seconds per iteration where there is no network. */
function pluginArgs({ args }: AgentSpec): readonly string[] {
  const isSet = args.some((word) => /^(?:plugins|features\.plugins\b.*|--(?:en|dis)able=plugins)$/.test(word));
  return isSet ? [] : ['--disable', 'plugins'];
}

import type { AgentSpec } from '../../model/run-spec.js';
import type { AgentEnvironment, AgentRequest, Invocation, ReviewRequest } from '../adapter.js';
import { missingSession } from '../agent-events.js';
import { flag, invocationOf, type KnownAgent } from '../known-agent.js';
import { parseCodex } from './parse.js';
import { CODEX_HOME, codexRollout } from './rollout.js';

export const codexAgent = {
  name: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  oldest: '0.163.0',
  offline: {},
  home: CODEX_HOME,
  login: {
    how: 'codex login, or set CODEX_API_KEY',
    variables: ['CODEX_API_KEY'],
    file: 'auth.json',
    keys: ['tokens', 'OPENAI_API_KEY'],
    isOnlyPlace: () => true,
  },
  hasAllow: false,
  edits: 'It edits files in this folder and in /tmp, and runs any command in its sandbox without network,',
  usage: 'live',
  context: 'reported',
  canResume: true,
  // At SIGINT it ends its commands, at SIGTERM it leaves them behind.
  signals: ['SIGINT', 'SIGTERM'],
  graceMs: 2000,
  tellsResult: true,
  invocation,
  review,
  parse: (line) => parseCodex(line),
  reader: ({ now }) => ({ read: (line) => parseCodex(line, now()), end: () => [] }),
  parseError: missingSession(/^error:.*\bno rollout found for thread id\b/i),
  sidecar: codexRollout,
  billing,
} satisfies KnownAgent;

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  const { session } = request;
  return invocationOf('codex', agent, request, [
    'exec',
    ...(session === undefined ? [] : ['resume']),
    '--json',
    '--skip-git-repo-check',
    ...permissionArgs(agent),
    ...pluginArgs(agent),
    ...flag('-m', agent.model),
    ...agent.args,
    ...(session === undefined ? [] : [session]),
    '-',
  ]);
}

/** Its tools, as far as they can be turned off. The sandbox keeps the others from writing and from the network. */
const TOOLS = ['shell_tool', 'unified_exec', 'multi_agent', 'goals', 'apps', 'hooks', 'image_generation'];

function review(agent: AgentSpec, request: ReviewRequest): Invocation {
  return invocationOf('codex', agent, request, [
    'exec',
    '--json',
    '--skip-git-repo-check',
    '--ignore-rules',
    '--sandbox',
    'read-only',
    '-c',
    'approval_policy="never"',
    '-c',
    'project_doc_max_bytes=0',
    '-c',
    'web_search="disabled"',
    '-c',
    'mcp_servers={}',
    ...TOOLS.flatMap((feature) => ['-c', `features.${feature}=false`]),
    ...pluginArgs(agent),
    '--output-schema',
    request.schemaPath,
    ...flag('-m', agent.model),
    ...agent.args,
    '-',
  ]);
}

/** Settings, because `exec resume` has no option for the sandbox. The sandbox decides, so `allow` has no effect. */
function permissionArgs({ permissions }: AgentSpec): readonly string[] {
  return {
    edit: ['-c', 'sandbox_mode="workspace-write"', '-c', 'approval_policy="never"'],
    bypass: ['--dangerously-bypass-approvals-and-sandbox'],
    agent: [],
  }[permissions];
}

/** With plugins it searches for new ones after each turn: five seconds per iteration where there is no network. */
function pluginArgs({ args }: AgentSpec): readonly string[] {
  const isSet = args.some((word) => /^(?:plugins|features\.plugins\b.*|--(?:en|dis)able=plugins)$/.test(word));
  return isSet ? [] : ['--disable', 'plugins'];
}

/** The value is not shown. */
function billing(environment: AgentEnvironment): readonly string[] {
  const hasKey = (environment['CODEX_API_KEY'] ?? '') !== '';
  return hasKey ? ['CODEX_API_KEY is set: Codex bills that key, not a subscription'] : [];
}

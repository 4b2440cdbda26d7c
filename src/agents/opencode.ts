import type { AgentSpec } from '../model/run-spec.js';
import type { AgentAdapter, AgentEnvironment, AgentRequest, Invocation } from './adapter.js';
import { createOpencodeReader, parseOpencode, parseOpencodeError } from './parse-opencode.js';

/** opencode without a screen. */
export const opencodeAgent: AgentAdapter = {
  name: 'opencode',
  usage: 'live',
  context: 'requests',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 3000,
  tellsResult: false,
  invocation,
  parse: parseOpencode,
  reader: createOpencodeReader,
  parseError: parseOpencodeError,
};

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  const [command = 'opencode', ...words] = agent.command ?? [];
  const args = [
    ...words,
    'run',
    '--format',
    'json',
    ...(agent.permissions === 'bypass' ? ['--auto'] : []),
    ...(agent.model === undefined ? [] : ['-m', agent.model]),
    ...(request.session === undefined ? titleArgs(agent) : ['--session', request.session]),
    ...agent.args,
  ];
  const env = {
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    ...request.environment,
    ...permissionEnvironment(agent),
    ...agent.env,
  };
  return { command, args, env, input: request.prompt };
}

/** Without a title it asks the model for one, and does not tell what that used. */
function titleArgs({ args }: AgentSpec): readonly string[] {
  return args.some((word) => /^--(?:title|continue|session|fork|attach)(?:=|$)|^-[cs]$/.test(word))
    ? []
    : ['--title', 'Pawl'];
}

/** It allows everything by default, and has no option for less: only a setting. The last rule that fits counts. */
function permissionEnvironment({ permissions, allow }: AgentSpec): AgentEnvironment {
  if (permissions !== 'edit') return {};
  const commands = allow.flatMap((entry) => [
    [entry, 'allow'],
    [`${entry} *`, 'allow'],
  ]);
  const bash = Object.fromEntries([['*', 'deny'], ...commands]);
  return { OPENCODE_PERMISSION: JSON.stringify({ edit: 'allow', bash, external_directory: 'deny' }) };
}

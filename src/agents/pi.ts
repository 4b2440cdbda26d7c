import type { AgentSpec } from '../model/run-spec.js';
import type { AgentAdapter, AgentRequest, Invocation } from './adapter.js';
import { createPiReader, parsePi, parsePiError } from './parse-pi.js';

/** All that it has for files. It has no permissions: a tool is there or not. */
const FILE_TOOLS = 'read,edit,write,grep,find,ls';

/** pi without a screen. */
export const piAgent: AgentAdapter = {
  name: 'pi',
  usage: 'live',
  context: 'requests',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 3000,
  tellsResult: true,
  invocation,
  parse: parsePi,
  reader: createPiReader,
  parseError: parsePiError,
};

function invocation(agent: AgentSpec, request: AgentRequest): Invocation {
  const [command = 'pi', ...words] = agent.command ?? [];
  const args = [
    ...words,
    '-p',
    '--mode',
    'json',
    // A command cannot be allowed by its name, so under `edit` there are none.
    ...(agent.permissions === 'edit' ? ['--tools', FILE_TOOLS] : []),
    ...(agent.model === undefined ? [] : ['--model', agent.model]),
    ...(request.session === undefined ? [] : ['--session', request.session]),
    ...agent.args,
  ];
  return { command, args, env: { ...request.environment, ...agent.env }, input: request.prompt };
}

import type { AgentDefinition } from '../model/agent-definition.js';
import type { AgentSpec } from '../model/run-spec.js';
import type { AgentAdapter, AgentRequest, Invocation } from './adapter.js';
import { mappedReader } from './mapped-reader.js';
import { mappedParser } from './parse-mapped.js';

const GRACE_MS = 3000;

/** An agent CLI of which all that is known is its definition. */
export function mappedAgent(definition: AgentDefinition): AgentAdapter {
  const { name, usage, signals, events, resumeFlag } = definition;
  return {
    name,
    usage,
    signals,
    graceMs: GRACE_MS,
    canResume: resumeFlag !== undefined || events === undefined,
    tellsResult: events?.result !== undefined,
    invocation: (agent, request) => invocation(definition, agent, request),
    parse: mappedParser(definition),
    reader: () => mappedReader(definition),
  };
}

function invocation(
  { command: usual, args, modelFlag, resumeFlag }: AgentDefinition,
  agent: AgentSpec,
  { environment, prompt, session }: AgentRequest,
): Invocation {
  const [command = '', ...words] = agent.command ?? usual;
  return {
    command,
    args: [...words, ...args, ...flag(modelFlag, agent.model), ...flag(resumeFlag, session), ...agent.args],
    // What an outer run left under these names is not meant for this one.
    env: { ...environment, ...agent.env, PAWL_SESSION: session, PAWL_MODEL: agent.model },
    input: prompt,
  };
}

/** `--model` and its value; `--model=` takes the value into the same word. */
function flag(name: string | undefined, value: string | undefined): readonly string[] {
  if (name === undefined || value === undefined) return [];
  return name.endsWith('=') ? [name + value] : [name, value];
}

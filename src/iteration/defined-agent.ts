import { type AgentFunctions, adapterOf } from '../agents/agent-functions.js';
import type { AgentAdapter } from '../agents/adapter.js';
import { mappedAgent } from '../agents/mapped.js';
import type { AgentDefinition } from '../model/agent-definition.js';
import type { RunSpec } from '../model/run-spec.js';
import type { Agent } from './agent.js';

export type { AgentFunctions } from '../agents/agent-functions.js';
export type { AgentRequest, Invocation } from '../agents/adapter.js';

/** An agent CLI that is described and not yet made: it becomes an agent with the spec and the environment of a run. */
export interface DefinedAgent {
  readonly kind: 'defined-agent';
  readonly name: string;
  readonly adapter: AgentAdapter;
  /** Present when it is data: a run then records it. */
  readonly definition?: AgentDefinition | undefined;
}

export function definedByFunctions(functions: AgentFunctions): DefinedAgent {
  const adapter = adapterOf(functions);
  return Object.freeze({ kind: 'defined-agent', name: adapter.name, adapter });
}

export function definedByData(definition: AgentDefinition): DefinedAgent {
  return Object.freeze({
    kind: 'defined-agent',
    name: definition.name,
    adapter: mappedAgent(definition),
    definition,
  });
}

export function isDefined(agent: Agent | DefinedAgent | undefined): agent is DefinedAgent {
  return agent !== undefined && 'kind' in agent && agent.kind === 'defined-agent';
}

/** The spec of a run with that agent: its record says who did the work. */
export function withDefined(spec: RunSpec, agent: Agent | DefinedAgent | undefined): RunSpec {
  if (!isDefined(agent)) return spec;
  const { definition: _other, ...rest } = spec.agent;
  const { name, definition } = agent;
  return { ...spec, agent: { ...rest, name, ...(definition === undefined ? {} : { definition }) } };
}

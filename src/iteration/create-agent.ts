import type { AgentAdapter, AgentEnvironment } from '../agents/adapter.js';
import { adapterOf, type AgentFunctions } from '../agents/agent-functions.js';
import { AGENT_NAMES, findAdapter } from '../agents/find-adapter.js';
import { mappedAgent } from '../agents/mapped.js';
import type { AgentDefinition } from '../model/agent-definition.js';
import { ConfigError } from '../model/errors.js';
import { didYouMean } from '../model/nearest.js';
import type { RunSpec } from '../model/run-spec.js';
import { findProgram, whyNotRunnable } from '../process/find-program.js';
import type { Agent, AgentEnd } from './agent.js';
import { createCliAgent } from './cli-agent.js';

/**
 * The agent that a spec names, or the one that is defined. Throws ConfigError when there is no such agent, or its program
 * cannot be run.
 */
export function createAgent(
  { agent, workingDir }: RunSpec,
  environment: AgentEnvironment,
  defined?: DefinedAgent,
): Agent {
  const adapter = defined?.adapter ?? knownAdapter(agent);
  checkProgram(adapter, { agent, workingDir }, environment);
  const made = createCliAgent({ adapter, agent, workingDir, environment });
  return defined === undefined ? made : neverRejecting(made);
}

/** Throws ConfigError when there is no such agent. */
export function knownAdapter(agent: RunSpec['agent']): AgentAdapter {
  const adapter = adapterFor(agent);
  if (adapter === undefined) {
    const hint = didYouMean(agent.name, AGENT_NAMES) || `; known are ${AGENT_NAMES.join(', ')}`;
    throw problem('agent.name', `there is no agent ${JSON.stringify(agent.name)}${hint}`);
  }
  if (adapter.name === 'command' && (agent.command ?? []).length === 0) {
    throw problem('agent.command', 'no command: give it after --, or as agent.command');
  }
  return adapter;
}

/** Functions of the user's own were right at the start and may still throw later. */
function neverRejecting(agent: Agent): Agent {
  const notStarted = (error: unknown): AgentEnd => ({
    cause: 'not-started',
    error: error instanceof Error ? error.message : String(error),
    stragglers: 0,
    survivors: 0,
  });
  return { ...agent, run: (task, listener, signal) => agent.run(task, listener, signal).catch(notStarted) };
}

function adapterFor({ name, definition }: RunSpec['agent']): AgentAdapter | undefined {
  return definition === undefined ? findAdapter(name) : mappedAgent(definition);
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
  const hint = agent.command === undefined && !isFile ? `: is ${agent.name} installed?` : why;
  const isOwn = agent.command === undefined && agent.definition !== undefined;
  const path = isOwn ? `agents.${agent.name}.command` : 'agent.command';
  throw problem(path, `${command} is not a program that can be run${hint}`);
}

function problem(path: string, message: string): ConfigError {
  return new ConfigError([{ path, message }]);
}

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

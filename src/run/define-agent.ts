import type { OwnAgentConfig } from '../config/loop-config.js';
import { resolveConfig } from '../config/resolve-config.js';
import { type AgentFunctions, type DefinedAgent, definedByData, definedByFunctions } from '../iteration/cli-agent.js';
import { ConfigError } from '../model/errors.js';
import { isRecord, showValue } from '../model/show-value.js';

/** What `agents.NAME` of the config has, in camelCase, and the name. */
export interface AgentData extends OwnAgentConfig {
  readonly name: string;
}

/**
 * An agent CLI that Pawl does not know, for the option `agent` of a run. Described by data, as under `agents` in the config,
 * it is recorded with the run, and a resumed run has it. Described by functions, it must be given again. Throws ConfigError.
 *
 * @example
 * ```ts
 * import { defineAgent, LoopRunner } from 'pawl';
 *
 * const agent = defineAgent({
 *   name: 'my-cli',
 *   command: ['my-cli', '--json'],
 *   modelFlag: '--model',
 *   events: {
 *     text: { when: { type: 'message' }, text: 'content[*].text' },
 *     usage: { when: { type: 'message' }, input: 'usage.in', output: 'usage.out', model: 'model' },
 *   },
 * });
 * const runner = new LoopRunner({ prompt: 'go', agent: { model: 'large' } }, { agent });
 * ```
 */
export function defineAgent(agent: AgentData | AgentFunctions): DefinedAgent {
  if (!isRecord(agent)) throw problem('', `an agent is described by an object, not by ${showValue(agent)}`);
  if (isByFunctions(agent)) return definedByFunctions(agent);
  const { name, ...config } = agent;
  if (typeof name !== 'string' || name === '') throw problem('name', `must be a text, not ${showValue(name)}`);
  const { spec } = resolveConfig({ agent: name, agents: { [name]: config } }, { cwd: '/' });
  if (spec.agent.definition === undefined) throw problem('name', `${showValue(name)} cannot be the name of an agent`);
  return definedByData(spec.agent.definition);
}

function isByFunctions(agent: AgentData | AgentFunctions): agent is AgentFunctions {
  return 'parse' in agent || 'invocation' in agent || Object.values(agent).some((one) => typeof one === 'function');
}

function problem(path: string, message: string): ConfigError {
  return new ConfigError([{ path, message }]);
}

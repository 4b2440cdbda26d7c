import type { AgentAdapter } from './adapter.js';
import { claudeAgent } from './claude.js';
import { commandAgent } from './command.js';

const ADAPTERS: readonly AgentAdapter[] = [claudeAgent, commandAgent];

/** The agents that can be named in the config. */
export const AGENT_NAMES: readonly string[] = ADAPTERS.map(({ name }) => name);

export function findAdapter(name: string): AgentAdapter | undefined {
  return ADAPTERS.find((adapter) => adapter.name === name);
}

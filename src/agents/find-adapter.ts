import type { ReviewAdapter } from './adapter.js';
import { commandAgent } from './command.js';
import { AGENTS } from './index.js';

const ADAPTERS: readonly ReviewAdapter[] = [...AGENTS, commandAgent];

/** The agents that can be named in the config. */
export const AGENT_NAMES: readonly string[] = ADAPTERS.map(({ name }) => name);

/** Those that can be asked for a review by their name. */
export const REVIEWER_NAMES: readonly string[] = AGENTS.map(({ name }) => name);

/** The agent of a run whose config names none. */
export const DEFAULT_AGENT = AGENTS[0].name;

export function findAdapter(name: string): ReviewAdapter | undefined {
  return ADAPTERS.find((adapter) => adapter.name === name);
}

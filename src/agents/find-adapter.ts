import type { AgentAdapter } from './adapter.js';
import { claudeAgent } from './claude.js';
import { codexAgent } from './codex.js';
import { commandAgent } from './command.js';
import { copilotAgent } from './copilot.js';
import { geminiAgent } from './gemini.js';
import { opencodeAgent } from './opencode.js';
import { piAgent } from './pi.js';
import { qwenAgent } from './qwen.js';

const ADAPTERS: readonly AgentAdapter[] = [
  claudeAgent,
  codexAgent,
  geminiAgent,
  opencodeAgent,
  qwenAgent,
  piAgent,
  copilotAgent,
  commandAgent,
];

/** The agents that can be named in the config. */
export const AGENT_NAMES: readonly string[] = ADAPTERS.map(({ name }) => name);

export function findAdapter(name: string): AgentAdapter | undefined {
  return ADAPTERS.find((adapter) => adapter.name === name);
}

// Made by `npm run agents` from the other files of this folder. Only the order is yours to change.
import { claudeAgent } from './claude/index.js';
import { codexAgent } from './codex/index.js';
import { copilotAgent } from './copilot.js';
import { geminiAgent } from './gemini.js';
import { opencodeAgent } from './opencode.js';
import { piAgent } from './pi.js';
import { qwenAgent } from './qwen.js';
import type { KnownAgent } from './known-agent.js';

/** Every agent CLI that Pawl knows, in the order in which `pawl init` offers them. The first is the default. */
export const AGENTS: readonly [KnownAgent, ...KnownAgent[]] = [
  claudeAgent,
  codexAgent,
  geminiAgent,
  opencodeAgent,
  copilotAgent,
  qwenAgent,
  piAgent,
];

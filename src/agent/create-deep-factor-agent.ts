import type { DeepFactorAgentOptions } from './agent-options.js';
import { DeepFactorAgent } from './deep-factor-agent.js';

/**
 * An agent in this process, on any model of the AI SDK: it works turn by turn until the goal is verified or something stops
 * it, and everything that it says, calls and spends is on record. Throws ConfigError.
 *
 * @example
 * ```ts
 * import { maxCost, maxIterations } from 'pawl';
 * import { createDeepFactorAgent } from 'pawl/agent';
 *
 * const agent = createDeepFactorAgent({
 *   model,
 *   tools,
 *   stopWhen: [maxIterations(10), maxCost(1)],
 *   verifyCompletion: ({ text }) => text.includes('DONE') || { complete: false, reason: 'Say DONE when all is done.' },
 * });
 * const { status, stopReason, costUsd } = await agent.loop({ prompt: 'Sort the tickets.' });
 * ```
 */
export function createDeepFactorAgent(options: DeepFactorAgentOptions): DeepFactorAgent {
  return new DeepFactorAgent(options);
}

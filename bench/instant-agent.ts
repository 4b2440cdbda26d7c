import type { Agent } from '../src/iteration/agent.js';

/** Done at once, and keeps nothing, as a scripted one would. */
export const instantAgent: Agent = {
  name: 'instant',
  usage: 'live',
  canResume: false,
  tellsResult: false,
  async run(_task, listener) {
    listener.onSpawn({ pid: process.pid, startTime: '0' });
    listener.onEvent({ kind: 'usage', scope: 'request', spend: { inputTokens: 10, costUsd: 0.001 } });
    return { cause: 'exit', exitCode: 0, stragglers: 0, survivors: 0 };
  },
};

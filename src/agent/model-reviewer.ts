import type { LanguageModel } from 'ai';
import type { Agent, AgentEnd } from '../iteration/agent.js';
import { callModel, type ModelSettings } from './call-model.js';
import { isUnknown } from '../model/usage.js';
import { providerError } from './provider-error.js';
import { settledOr } from './settled-or.js';
import { NO_USAGE, UNKNOWN_USAGE } from './told-spend.js';

/** A call that is given up has this long to come to its end. */
const GRACE_MS = 500;
const INSTRUCTIONS = 'You review the work of an agent. You have no tools. You answer with one JSON object.';

/**
 * A model of the AI SDK as the reviewer of a run: one call for each review, without tools.
 *
 * @example
 * ```ts
 * import { LoopRunner } from 'pawl';
 * import { modelReviewer } from 'pawl/agent';
 *
 * const runner = new LoopRunner({ agent: 'claude', tests: 'npm test' }, { reviewer: modelReviewer(model) });
 * ```
 */
export function modelReviewer(
  model: LanguageModel,
  {
    settings,
    now = Date.now,
  }: { readonly settings?: ModelSettings | undefined; readonly now?: (() => number) | undefined } = {},
): Agent {
  const name = typeof model === 'string' ? model : model.modelId;
  return {
    name,
    usage: 'live',
    canResume: false,
    tellsResult: true,
    async run({ prompt, timeoutMs }, listener, signal): Promise<AgentEnd> {
      listener.onSpawn({ pid: process.pid, startTime: '0' });
      const timeout = AbortSignal.timeout(timeoutMs);
      const over = AbortSignal.any([signal, timeout]);
      const ended = (cause: AgentEnd['cause']): AgentEnd => ({ cause, stragglers: 0, survivors: 0 });
      try {
        const call = callModel({
          model,
          settings,
          instructions: INSTRUCTIONS,
          messages: [{ role: 'user', content: prompt }],
          tools: {},
          signal: over,
        });
        const answer = await settledOr(call, over, GRACE_MS);
        if (answer === undefined) throw over.reason;
        const { spend, text } = answer;
        const unknown = isUnknown(spend) ? { unknown: true as const } : {};
        listener.onEvent({ kind: 'usage', scope: 'request', model: answer.model ?? name, spend, ...unknown });
        listener.onEvent({ kind: 'result', outcome: 'success', text });
        return ended('exit');
      } catch (error) {
        const { event, isFree } = providerError(error, now());
        listener.onEvent(isFree && !over.aborted ? NO_USAGE : UNKNOWN_USAGE);
        if (over.aborted) return ended(signal.aborted ? 'aborted' : 'timeout');
        listener.onEvent(event);
        return { ...ended('exit'), exitCode: 1 };
      }
    },
  };
}

import type { AgentEvent } from '../model/agent-event.js';
import { shortId } from './short-id.js';

/** How long an agent may live on after it has said that it is done. */
const AFTER_RESULT_MS = 10_000;
/** Tools that are open at once; whether one is more or less does not matter then. */
const MOST_OPEN_TOOLS = 1000;

export interface Patience {
  /** It printed something. */
  sawLife(): void;
  saw(event: AgentEvent): void;
  end(): void;
}

/**
 * Ends an agent that shows nothing for too long, or that does not leave after its result. A tool may be silent for as
 * long as the iteration lasts; so may an agent that goes on working after a result.
 */
export function createPatience(options: {
  readonly idleTimeoutMs: number;
  readonly onEnd: (cause: 'idle' | 'lingering') => void;
}): Patience {
  const { idleTimeoutMs, onEnd } = options;
  const openTools = new Set<string>();
  let lastLifeMs = performance.now();
  let resultAtMs: number | undefined;
  let again: NodeJS.Immediate | undefined;
  const causeNow = (): 'idle' | 'lingering' | undefined => {
    const nowMs = performance.now();
    if (resultAtMs !== undefined) return nowMs - resultAtMs >= AFTER_RESULT_MS ? 'lingering' : undefined;
    return openTools.size === 0 && nowMs - lastLifeMs >= idleTimeoutMs ? 'idle' : undefined;
  };
  const check = (): void => {
    if (causeNow() === undefined) return;
    // If the runner was held up, it has not read yet what the agent printed. Node does that before an immediate.
    again = setImmediate(() => {
      const cause = causeNow();
      if (cause !== undefined) onEnd(cause);
    });
  };
  const timer = setInterval(check, Math.min(1000, Math.max(20, idleTimeoutMs / 4)));
  return {
    sawLife() {
      lastLifeMs = performance.now();
    },
    saw(event) {
      resultAtMs = event.kind === 'result' ? performance.now() : isWork(event) ? undefined : resultAtMs;
      if (event.kind === 'tool-call' && openTools.size < MOST_OPEN_TOOLS) openTools.add(shortId(event.id ?? ''));
      if (event.kind === 'tool-result') openTools.delete(shortId(event.id ?? ''));
    },
    end() {
      clearInterval(timer);
      clearImmediate(again);
    },
  };
}

/** Something that an agent which is done does not do. */
function isWork({ kind }: AgentEvent): boolean {
  return kind === 'text' || kind === 'tool-call' || kind === 'tool-result';
}

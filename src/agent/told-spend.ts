import type { AgentEventOf } from '../model/agent-event.js';
import { isUnknown, NOTHING_SPENT } from '../model/usage.js';
import type { KeptMessage } from './conversation.js';

type Usage = AgentEventOf<'usage'>;

/** Nothing was spent, and that is known. It tells nothing of the context, as a request would. */
export const NO_USAGE: Usage = Object.freeze({ kind: 'usage', scope: 'turn', spend: NOTHING_SPENT });

/** A call was cut off: it has spent something. */
export const UNKNOWN_USAGE: Usage = Object.freeze({ kind: 'usage', scope: 'request', spend: {}, unknown: true });

/** The usage of an answer; undefined for a message that is none. */
export function usageOf({ session, call }: KeptMessage, modelId: string): Usage | undefined {
  if (call === undefined) return undefined;
  const { id, model = modelId, spend } = call;
  const unknown = isUnknown(spend) ? { unknown: true as const } : {};
  return { kind: 'usage', scope: 'request', id, session, model, spend, ...unknown };
}

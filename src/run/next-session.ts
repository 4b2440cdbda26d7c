import type { RunSpec } from '../model/run-spec.js';
import { lastWork } from '../model/last-look.js';
import type { RunState } from '../model/run-state.js';
import { isRefusal } from '../model/wait-policy.js';

/** What the next iteration talks in. */
export type NextSession =
  | { readonly kind: 'continue'; readonly session: string }
  | { readonly kind: 'fresh' }
  /** A session is given up: a fresh one takes over. */
  | { readonly kind: 'reboot'; readonly reason: string };

export interface SessionFacts {
  readonly canResume: boolean;
  /** It goes on where it was, whatever cut it off. */
  readonly keepsConversation?: boolean | undefined;
  readonly nowMs: number;
}

/** Goes on with the session until the redline, unless it may have been cut off in the middle of something. */
export function nextSession(
  state: RunState,
  { session: rules, contextRedlinePercent }: Pick<RunSpec, 'session' | 'contextRedlinePercent'>,
  { canResume, keepsConversation = false, nowMs }: SessionFacts,
): NextSession {
  const { session, context, recent } = state;
  if (!canResume || rules.mode === 'fresh' || session === undefined) return { kind: 'fresh' };
  // An agent tells its own name for it, which is then one of its arguments: none of its options.
  if (/^\s*-|\0/.test(session.id)) return { kind: 'fresh' };
  const last = recent.at(-1);
  const isWhole = last === undefined || last.outcome === 'completed' || isRefusal(last.outcome);
  if (!isWhole && !keepsConversation) return { kind: 'fresh' };
  if (!isWhole && state.latest.errors.some(({ kind }) => kind === 'context')) {
    return { kind: 'reboot', reason: 'the context is full' };
  }
  // It may have been done, and nobody has looked: that comes first.
  if (keepsConversation && last?.interruption === 'crash') return { kind: 'continue', session: session.id };
  // A window of nothing tells nothing.
  const percent =
    context === undefined || context.windowTokens === 0 ? 0 : (context.usedTokens / context.windowTokens) * 100;
  if (percent > contextRedlinePercent) {
    return { kind: 'reboot', reason: `the context is ${Math.floor(percent)}% full, above ${contextRedlinePercent}%` };
  }
  if (nowMs - Date.parse(session.openedAt) > rules.timeoutMs) {
    return { kind: 'reboot', reason: 'the session is older than its timeout' };
  }
  return { kind: 'continue', session: session.id };
}

const HANDOVER_CHARACTERS = 4096;

/** What a fresh session is told of the one before. */
export function handoverOf(state: RunState): string | undefined {
  const last = lastWork(state);
  const { files } = state.latest.observation;
  const changed = [...(files?.created ?? []), ...(files?.modified ?? [])].slice(0, 30);
  const parts = [
    last?.summary === undefined ? undefined : `What was done last:\n${last.summary}`,
    changed.length === 0 ? undefined : `Files changed last:\n${changed.map((name) => `- ${name}`).join('\n')}`,
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return ['You take over from an earlier session.', ...parts].join('\n\n').slice(0, HANDOVER_CHARACTERS);
}

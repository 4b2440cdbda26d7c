import { createNarration } from '../iteration/narrate.js';
import type { NewEvent } from '../model/run-event.js';
import { handoverOf, nextSession } from './next-session.js';
import type { RunParts } from './run-parts.js';

export interface SessionSetting {
  /** Records a boundary; throws when it cannot be. */
  readonly record: (event: NewEvent) => void;
  /** Must not throw. */
  readonly recordLive: (event: NewEvent) => void;
  readonly signal: AbortSignal;
}

/** The session to go on with, or undefined for a fresh one. A session that is given up is handed over, on record. */
export async function chooseSession(
  parts: RunParts,
  { record, recordLive, signal }: SessionSetting,
): Promise<string | undefined> {
  const { journal, spec, agent, now } = parts;
  const { session } = journal.state;
  const { reboot } = journal.state.requests;
  const { canResume, keepsConversation } = agent;
  const next = nextSession(journal.state, spec, { canResume, keepsConversation, nowMs: now() });
  if (next.kind === 'fresh') return undefined;
  if (next.kind === 'continue' && reboot === undefined) return next.session;
  const reason = next.kind === 'reboot' ? next.reason : `requested by ${reboot?.by ?? 'an operator'}`;
  record({ type: 'reboot-started', reason });
  const own = session === undefined ? undefined : await ownHandover(parts, session.id, { recordLive, signal });
  record({ type: 'reboot-completed', handover: own ?? handoverOf(journal.state) });
  return undefined;
}

/** What the agent itself has to say; what that costs is recorded. */
async function ownHandover(
  { spec, agent, redact, now }: RunParts,
  session: string,
  { recordLive, signal }: Pick<SessionSetting, 'recordLive' | 'signal'>,
): Promise<string | undefined> {
  if (agent.handOver === undefined) return undefined;
  const narration = createNarration({ spec, prompt: '', record: recordLive, redact, now: () => new Date(now()) });
  const handover = await agent.handOver(session, { onEvent: (event) => narration.tell(event) }, signal);
  narration.end();
  return handover;
}

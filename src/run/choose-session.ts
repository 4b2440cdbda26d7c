import type { NewEvent } from '../model/run-event.js';
import { handoverOf, nextSession } from './next-session.js';
import type { RunParts } from './run-parts.js';

/** The session to go on with, or undefined for a fresh one. A session that is given up is handed over, on record. */
export function chooseSession(
  { journal, spec, agent, now }: RunParts,
  record: (event: NewEvent) => void,
): string | undefined {
  const { rebootAsked } = journal.state;
  const next = nextSession(journal.state, spec, { canResume: agent.canResume, nowMs: now() });
  if (next.kind === 'fresh') return undefined;
  if (next.kind === 'continue' && rebootAsked === undefined) return next.session;
  const reason = next.kind === 'reboot' ? next.reason : `asked by ${rebootAsked?.by ?? 'nobody'}`;
  record({ type: 'reboot-started', reason });
  record({ type: 'reboot-completed', handover: handoverOf(journal.state) });
  return undefined;
}

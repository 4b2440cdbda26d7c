import { createHash } from 'node:crypto';
import type { AgentEventOf } from '../model/agent-event.js';

const LONGEST_CHARACTERS = 200;

/** An id that an agent made up, in a length that can be kept many times over. Different ids stay different. */
export function shortId(id: string): string {
  return id.length <= LONGEST_CHARACTERS ? id : createHash('sha256').update(id).digest('hex');
}

export function withShortIds(event: AgentEventOf<'usage'>): AgentEventOf<'usage'> {
  const { id, session, model } = event;
  const short = (text: string | undefined) => (text === undefined ? undefined : shortId(text));
  return { ...event, id: short(id), session: short(session), model: short(model) };
}

import type { EventType } from './run-event.js';

/** Events after which a live condition may hold that did not before. */
export const LIVE_EVENTS: ReadonlySet<EventType> = new Set<EventType>([
  'agent-said',
  'usage-reported',
  'context-reported',
  'error-seen',
  'permission-denied',
  'agent-finished',
  'claim-made',
  'command-received',
  'day-spend-seen',
  'batch-spend-seen',
  'tick',
]);

import type { EventType } from './run-event.js';

/** What happens to a run beside its iterations. */
export const TURNING_EVENTS = [
  'paused',
  'resumed',
  'waiting-started',
  'waiting-ended',
  'reboot-started',
  'reboot-completed',
  'command-received',
  'limit-extended',
  'tree-restored',
  'hook-ran',
  'work-committed',
  'run-resumed',
  'manifest-changed',
  'item-reopened',
] as const satisfies readonly EventType[];

/** What an agent says and does, beside its figures. */
export const SPEAKING_EVENTS = [
  'agent-said',
  'tool-called',
  'tool-answered',
  'error-seen',
  'limit-hit',
  'permission-denied',
  'claim-made',
  'agent-finished',
] as const satisfies readonly EventType[];
